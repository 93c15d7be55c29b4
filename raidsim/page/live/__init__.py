"""The array, live: a running simulation that a page shows, slows down, and breaks.

From the simulation to the browser: :mod:`following` takes one request through the kernel event
by event, :mod:`picture` says what lies where, :mod:`raidsim.control.present` how everything is
now, :mod:`telling` puts what happens into words, and :mod:`watched` holds them together as plain
data. :mod:`worker` is a process with such arrays, :mod:`visitors` bounds how many there are,
:mod:`wishes` says what may be asked, and :mod:`routes` answers the page.
"""
