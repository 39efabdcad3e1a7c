# The one place where warnings are chosen. Link `culprit::warnings` to get them.
option(CULPRIT_WERROR "Treat warnings as errors" OFF)

add_library(culprit_warnings INTERFACE)
add_library(culprit::warnings ALIAS culprit_warnings)
target_compile_options(culprit_warnings INTERFACE
    -Wall -Wextra -Wformat=2 -Wshadow -Wvla -Wundef
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wpointer-arith -Wwrite-strings -Wcast-qual -Wimplicit-fallthrough
    -Wdouble-promotion -Wnull-dereference
    $<$<BOOL:${CULPRIT_WERROR}>:-Werror>)
