"""How a function that only exists inside its callers is compiled.

Numba would optimise each such function with all that it calls, translate it to machine code and
wrap it for Python. None of this is ever used, and it is two thirds of the compile time. Here
compilation stops at LLVM's intermediate code, which goes into the callers as it is; entry points
optimise the whole once (:class:`EntryLibrary`). Some passes look for constructs that no function of
the kernel has (closures, contexts, overloads in Python, branches on constants). These are left out,
and so are Numba's notifications about each pass.
"""

from __future__ import annotations

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.targetconfig import ConfigStack

TRIED_WITH = ("0.68.",)


SELDOM = (
    "kernel.band_rewrites",
    "kernel.bitmap",
    "kernel.defects",
    "kernel.engine.expire",
    "kernel.engine.tell",
    "kernel.filling",
    "kernel.ftl.copy_leaf",
    "kernel.heat",
    "kernel.hybrid",
    "kernel.hybrid_blocks",
    "kernel.load.replay",
    "kernel.load.schedule_arrival",
    "kernel.log",
    "kernel.mapping",
    "kernel.network",
    "kernel.operation",
    "kernel.partial_parity",
    "kernel.permutation",
    "kernel.repair",
    "kernel.sensing",
    "kernel.shingles",
    "kernel.slc",
    "kernel.station.enqueue_by_rank",
    "kernel.station.set_speed",
    "kernel.tier",
    "kernel.zipf",
    "layout.rebuild",
)
"""Modules and functions that most systems need seldom or never.

Their routines lie apart from the rest of the machine code, and branches to them are taken for
unlikely: so what each event passes through stays together.
"""


def _mangled(name: str) -> str:
    """Return the beginning of the symbols of a module, or of the symbol of a function."""
    return "_ZN" + "".join(f"{len(part)}{part}" for part in f"raidsim.{name}".split("."))


_SELDOM = tuple(map(_mangled, SELDOM))


class KernelLibrary(JITCodeLibrary):
    """Code of the kernel, with more information for LLVM than Numba gives."""

    def add_ir_module(self, ir_module):
        """Add the code of a function, with what is known of it."""
        for function in ir_module.functions:
            if function.is_declaration or "alwaysinline" in function.attributes:
                continue
            if function.name.startswith(_SELDOM):
                function.attributes.add("cold")
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


class EntryLibrary(KernelLibrary):
    """Machine code of an entry point, with all that it calls."""

    def _optimize_final_module(self):
        """Let LLVM optimise the code once, with no callers from outside."""
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.linkonce_odr:
                function.linkage = binding.Linkage.internal
        options = binding.create_pipeline_tuning_options(speed_level=3)
        # Loops of the kernel are short.
        options.loop_vectorization = options.loop_unrolling = False
        options.slp_vectorization = False
        builder = binding.create_pass_builder(self._codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)


class InlinedLibrary(KernelLibrary):
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
        """The receiver of a function's environment: none, see :meth:`set_env`."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing: only code that handles Python objects has use for an environment."""


NEEDLESS = {
    "WithLifting",
    "InlineClosureLikes",
    "RewriteSemanticConstants",
    "DeadBranchPrune",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "DumpParforDiagnostics",
}


class Passes(PassManager):
    """Numba's passes without those that find nothing here, and without notifications."""

    def run(self, state):
        """Run all of them, with the options of this function on top of those of its caller."""
        with ConfigStack().enter(state.flags):
            super().run(state)

    @global_compiler_lock
    def _runPass(self, _index, compiler_pass, state):  # noqa: N802 - Numba's name
        compiler_pass.analysis = self._analysis
        compiler_pass.run_initialization(state)
        compiler_pass.run_pass(state)
        compiler_pass.run_finalizer(state)


class KeptFlags(Flags):
    """Numba's options, put together once: it compares them hundreds of times for each function."""

    __slots__ = ("_all", "_hash", "_seen")

    def __init__(self, copy_from=None):
        super().__init__(copy_from)
        self._seen = None

    def __hash__(self):
        self.values()
        return self._hash

    def __eq__(self, other):
        return self.values() == other.values() if isinstance(other, Flags) else NotImplemented

    def values(self):
        """All options by name."""
        if self._seen != self._values:
            self._seen = dict(self._values)
            self._all = super().values()
            self._hash = hash(tuple(sorted(self._all)))
        return self._all


class InlinedCompiler(CompilerBase):
    """Numba's own passes, with the result in an :class:`InlinedLibrary`."""

    def define_pipelines(self):
        """Numba's passes for code without Python objects."""
        state = self.state
        state.flags = KeptFlags(state.flags)
        state.library = InlinedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        usual = DefaultPassBuilder.define_nopython_pipeline(state)
        passes = Passes("nopython")
        passes.passes = [
            (one, words) for one, words in usual.passes if one.__name__ not in NEEDLESS
        ]
        passes.finalize()
        return [passes]


class EntryCompiler(CompilerBase):
    """Numba's own passes, with the result in an :class:`EntryLibrary`."""

    def define_pipelines(self):
        """Numba's passes for code without Python objects."""
        state = self.state
        state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [DefaultPassBuilder.define_nopython_pipeline(state)]
