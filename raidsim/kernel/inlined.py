"""How a function that only lives inside its callers is compiled.

Numba would optimise each such function with all that it calls, translate it to machine
code and wrap it for Python, none of which is ever used: two thirds of the compile time.
Here it stops at LLVM's intermediate code, which goes into the callers as it is; entry
points optimise the whole once.
"""

from __future__ import annotations

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder

TRIED_WITH = ("0.68.",)


class InlinedLibrary(JITCodeLibrary):
    """Intermediate code of one function and of all that it calls."""

    def finalize(self) -> None:
        """Gather the code; neither optimise nor translate it."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        """No function here has an address."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> InlinedLibrary:
        """Who is told the environment of a function: nobody, see :meth:`set_env`."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing: only code that handles Python objects has use for an environment."""


class InlinedCompiler(CompilerBase):
    """Numba's own passes, with the result in an :class:`InlinedLibrary`."""

    def define_pipelines(self):
        """Numba's passes for code without Python objects."""
        state = self.state
        state.library = InlinedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [DefaultPassBuilder.define_nopython_pipeline(state)]
