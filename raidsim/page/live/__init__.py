"""The array, live: a running simulation that a page shows, slows down, and breaks.

From the simulation to the browser: :mod:`following` takes one request through the kernel event by
event. :mod:`picture` gives the content of the rows of drives, and :mod:`raidsim.control.present`
the present state of all parts. :mod:`telling` puts events into words, and :mod:`watched` combines
all of this as plain data. :mod:`worker` is a process with such arrays, :mod:`visitors` limits their
number, :mod:`wishes` defines the permitted requests, and :mod:`routes` answers the page.
"""
