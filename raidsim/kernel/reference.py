"""A world that compiled functions hand on by reference.

Numba passes a tuple of 17 record arrays by value: 119 numbers in every call and in the
code around it, which took a third of the compile time. :func:`by_reference` puts the
tuple on the stack once, at an entry point, and gives out its address; ``w.jobs`` and
the others read through it. Once all handlers are inlined LLVM takes the tuple apart
again, so the machine code does not notice. Interpreted, it is the world itself.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, register_model


class Reference(types.Type):
    """Numba's type of an address of a named tuple of tables."""

    def __init__(self, tables: types.NamedTuple) -> None:
        self.tables = tables
        super().__init__(name="World")

    @property
    def key(self) -> types.NamedTuple:
        """What makes two references the same type."""
        return self.tables

    def place(self, table: str) -> int:
        """Position of a table in the tuple."""
        place: int = self.tables.fields.index(table)
        return place


@register_model(Reference)
class ReferenceModel(models.PrimitiveModel):
    """A reference is a pointer to the tuple."""

    def __init__(self, manager, reference):
        world = manager.lookup(reference.tables).get_data_type()
        super().__init__(manager, reference, ir.PointerType(world))


@infer_getattr
class ReferenceAttributes(AttributeTemplate):
    """The attributes of a reference are the tables."""

    key = Reference

    def generic_resolve(self, reference, table):
        """Type of a table, or None if there is none of that name."""
        if table in reference.tables.fields:
            return reference.tables.types[reference.place(table)]
        return None


@lower_getattr_generic(Reference)
def read_table(context, builder, reference, address, table):
    """Code that reads ``w.table``."""
    place = reference.place(table)
    field = cgutils.gep_inbounds(builder, address, 0, place)
    return context.unpack_value(builder, reference.tables.types[place], field)


@intrinsic
def by_reference(_context, world):
    """Put a world on the stack of an entry point; handlers take what this returns."""

    def generate(context, builder, signature, arguments):
        (tables,) = signature.args
        address = cgutils.alloca_once(builder, context.get_data_type(tables))
        context.pack_value(builder, tables, arguments[0], address)
        return address

    return Reference(world)(world), generate
