"""A world that compiled functions pass on by reference.

Numba passes a tuple of 17 record arrays by value: 119 numbers in every call and in the code around
it, which took a third of the compile time. :func:`by_reference` puts the tuple on the stack once,
at an entry point, and returns its address; ``w.jobs`` and the others read through it. In the
interpreted kernel it is the world itself.

Three facts are known here that Numba cannot know. They make the machine code shorter. The tuple
never changes, so values that were read from it need not be read again after a write to a row. An
index is never negative, so it need not be tested (the checked kernel tests it, see
:mod:`~raidsim.kernel.bounds`). Tables never overlap, so a write to a field changes no other field
of any row.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    register_model,
)
from numba.np import arrayobj


class Row(types.Record):
    """Numba's type of a row of a table of the kernel: a record that knows its table."""

    def __init__(self, record: types.Record, table: str) -> None:
        fields: Any = [(name, field._asdict()) for name, field in record.fields.items()]
        super().__init__(fields, record.size, record.aligned)
        self.table = table
        self.name = f"row of {table}: {self.name}"


register_model(Row)(models.RecordModel)


class Rows(types.Array):
    """Numba's type of a table of the kernel: an array whose indices are never negative."""

    def __init__(self, table: types.Array, name: str) -> None:
        kind = table.dtype
        super().__init__(
            Row(kind, name) if isinstance(kind, types.Record) else kind,
            table.ndim,
            table.layout,
            readonly=not table.mutable,
            name=f"rows of {name}: {table.name}",
            aligned=table.aligned,
        )
        self.table = name


register_model(Rows)(models.ArrayModel)


@functools.cache
def rows_of(table: types.Array, name: str) -> Rows:
    """The type of a table: made once, for Numba asks for it wherever a table is named."""
    return Rows(table, name)


@lower_builtin(operator.getitem, Rows, types.Integer)
def take_row(context, builder, signature, arguments):
    """Code for ``table[index]``."""
    table, kind = signature.args
    index = context.cast(builder, arguments[1], kind, types.intp)
    plain = signature.replace(args=(table, types.uintp))
    found = arrayobj.getitem_arraynd_intp(context, builder, plain, (arguments[0], index))
    if isinstance(found, ir.LoadInstr):
        tell_place(builder, found, table.table)
    return found


@lower_builtin(operator.setitem, Rows, types.Integer, types.Any)
def put_row(context, builder, signature, arguments):
    """Code for ``table[index] = value``."""
    table, kind, value = signature.args
    index = context.cast(builder, arguments[1], kind, types.intp)
    plain = signature.replace(args=(table, types.uintp, value))
    arrayobj.setitem_array(context, builder, plain, (arguments[0], index, arguments[2]))
    written = builder.block.instructions[-1]
    if isinstance(written, ir.StoreInstr):
        tell_place(builder, written, table.table)


@lower_getattr_generic(Row)
def read_field(context, builder, row, address, field):
    """Code for ``row["field"]``."""
    found = arrayobj.record_getattr(context, builder, row, address, field)
    if not isinstance(row.typeof(field), types.NestedArray):
        # A boolean is loaded as a byte; the instructions after the load turn it into a bit.
        read = next(
            one for one in reversed(builder.block.instructions) if isinstance(one, ir.LoadInstr)
        )
        tell_place(builder, read, f"{row.table}.{field}")
    return found


@lower_setattr_generic(Row)
def write_field(context, builder, signature, arguments, field):
    """Code for ``row["field"] = value``."""
    arrayobj.record_setattr(context, builder, signature, arguments, field)
    row, _value = signature.args
    if not isinstance(row.typeof(field), types.NestedArray):
        tell_place(builder, builder.block.instructions[-1], f"{row.table}.{field}")


def tell_place(builder, access, place: str) -> None:
    """Let LLVM know which field of which table a read or write is about.

    Two accesses of different places are never about the same bytes. Of one without a place, such
    as that of a whole row, nothing is known.
    """
    module = builder.module
    start = ir.Constant(ir.IntType(64), 0)
    all_places = module.add_metadata(["tables of raidsim"])
    kind = module.add_metadata([place, all_places, start])
    access.set_metadata("tbaa", module.add_metadata([kind, kind, start]))


class Reference(types.Type):
    """Numba's type of an address of a named tuple of tables."""

    def __init__(self, tables: types.NamedTuple) -> None:
        self.tables = tables
        super().__init__(name="World")

    @property
    def key(self) -> types.NamedTuple:
        """The key by which two references have the same type."""
        return self.tables

    def place(self, table: str) -> int:
        """Position of a table in the tuple."""
        place: int = self.tables.fields.index(table)
        return place


@register_model(Reference)
class ReferenceModel(models.PrimitiveModel):
    """In machine code a reference to the world is a pointer to its tuple of tables."""

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
            return rows_of(reference.tables.types[reference.place(table)], table)
        return None


@lower_getattr_generic(Reference)
def read_table(context, builder, reference, address, table):
    """Code that reads ``w.table``."""
    place = reference.place(table)
    kind = reference.tables.types[place]
    # Each member is loaded alone: LLVM keeps "invariant" of a member, and loses it of a struct.
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


cpu_target.typing_context.refresh()
TYPE_OF_IT = cpu_target.typing_context.resolve_value_type(by_reference)
"""What Numba takes :data:`raidsim.kernel.jit.by_reference` for."""
