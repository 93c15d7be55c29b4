"""fio both ways: points of a run as files of fio, and files of fio as measured results."""
