# CULPRIT_SANITIZE takes what -fsanitize= takes; the presets `asan` and `tsan` set it.
# The guest agent is static and bare, and is left out of it.
set(CULPRIT_SANITIZE "" CACHE STRING "Sanitizers for the host programs, for example address,undefined")

add_library(culprit_sanitize INTERFACE)
add_library(culprit::sanitize ALIAS culprit_sanitize)
if(CULPRIT_SANITIZE)
    target_compile_options(culprit_sanitize INTERFACE
        -fsanitize=${CULPRIT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
        # Instrumented code leads these two astray (gcc(1), -fsanitize); plain builds have them.
        -Wno-maybe-uninitialized -Wno-null-dereference)
    target_link_options(culprit_sanitize INTERFACE -fsanitize=${CULPRIT_SANITIZE})
endif()
