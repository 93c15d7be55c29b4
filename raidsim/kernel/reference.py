"""A world that compiled functions hand on by reference.

Numba passes a tuple of 17 record arrays by value: 119 numbers in every call and in the
code around it, which took a third of the compile time. :func:`by_reference` puts the
tuple on the stack once, at an entry point, and gives out its address; ``w.jobs`` and
the others read through it. Interpreted, it is the world itself.

Two things are known here that Numba cannot know, and that make the machine code shorter: the
tuple never changes once it is there, so what was read of it need not be read again after a row
was written; and an index is never negative, so it need not be looked at (the checked kernel
does that, see :mod:`~raidsim.kernel.bounds`).
"""

from __future__ import annotations

import operator

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    register_model,
)
from numba.np import arrayobj


class Rows(types.Array):
    """Numba's type of a table of the kernel: an array whose indices are never negative."""

    def __init__(self, table: types.Array) -> None:
        super().__init__(
            table.dtype,
            table.ndim,
            table.layout,
            readonly=not table.mutable,
            name=f"rows of {table.name}",
            aligned=table.aligned,
        )


register_model(Rows)(models.ArrayModel)


@lower_builtin(operator.getitem, Rows, types.Integer)
def take_row(context, builder, signature, arguments):
    """Code for ``table[index]``."""
    table, kind = signature.args
    index = context.cast(builder, arguments[1], kind, types.intp)
    plain = signature.replace(args=(table, types.uintp))
    return arrayobj.getitem_arraynd_intp(context, builder, plain, (arguments[0], index))


@lower_builtin(operator.setitem, Rows, types.Integer, types.Any)
def put_row(context, builder, signature, arguments):
    """Code for ``table[index] = value``."""
    table, kind, value = signature.args
    index = context.cast(builder, arguments[1], kind, types.intp)
    plain = signature.replace(args=(table, types.uintp, value))
    arrayobj.setitem_array(context, builder, plain, (arguments[0], index, arguments[2]))


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
            return Rows(reference.tables.types[reference.place(table)])
        return None


@lower_getattr_generic(Reference)
def read_table(context, builder, reference, address, table):
    """Code that reads ``w.table``."""
    place = reference.place(table)
    kind = reference.tables.types[place]
    # Part by part, since LLVM forgets of a whole one that it never changes.
    values = context.make_helper(builder, kind)
    for member in range(len(context.data_model_manager[kind].get_value_type().elements)):
        value = builder.load(cgutils.gep_inbounds(builder, address, 0, place, member))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        values[member] = value
    return values._getvalue()


@intrinsic
def by_reference(_context, world):
    """Put a world on the stack of an entry point; handlers take what this returns."""

    def generate(context, builder, signature, arguments):
        (tables,) = signature.args
        address = cgutils.alloca_once(builder, context.get_data_type(tables))
        context.pack_value(builder, tables, arguments[0], address)
        # No code at all, but to LLVM the result is an address that it knows nothing about: so no
        # read of what never changes is moved in front of the writes above.
        same = ir.FunctionType(address.type, [address.type])
        return builder.asm(same, "", "=r,0,~{memory}", [address], side_effect=True)

    return Reference(world)(world), generate
