# culprit_test(NAME LABEL unit|contract|integration|e2e SOURCES … LINK … [TIMEOUT seconds] [ENV K=V…]
#              [KERNEL] [BUILT_KERNEL])
# adds one cmocka program to ctest under its label. KERNEL marks a test that builds kernels, which
# takes minutes: it gets the label `kernel` too, so that `ctest -LE kernel` leaves it out, and it
# runs beside no other. BUILT_KERNEL marks one that boots a kernel which the test
# `integration_build_test_kernel` built: it finds it as $CULPRIT_TEST_KERNEL, and has the label
# `kernel` likewise. A program that ends with status 77 was skipped.
#
# Names in ctest are KIND_FOLDER_NAME: unit_build_slot, contract_guest_libvirt.
set(CULPRIT_TEST_KERNEL_DIRECTORY "${CMAKE_BINARY_DIR}/tests/kernel")

function(culprit_test name)
    cmake_parse_arguments(TEST "KERNEL;BUILT_KERNEL" "LABEL;TIMEOUT" "SOURCES;LINK;ENV" ${ARGN})
    if(NOT TEST_LABEL MATCHES "^(unit|contract|integration|e2e)$")
        message(FATAL_ERROR "culprit_test(${name}): LABEL must be unit, contract, integration or e2e")
    endif()
    if(NOT TEST_TIMEOUT)
        set(TEST_TIMEOUT 120)
    endif()
    add_executable(${name} ${TEST_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support")
    target_compile_definitions(${name} PRIVATE _GNU_SOURCE
        CULPRIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CULPRIT_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${name} PRIVATE ${TEST_LINK} PkgConfig::CMOCKA
        culprit::warnings culprit::sanitize)
    if(TEST_BUILT_KERNEL)
        list(APPEND TEST_ENV "CULPRIT_TEST_KERNEL=${CULPRIT_TEST_KERNEL_DIRECTORY}/bzImage")
    endif()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABEL}" TIMEOUT ${TEST_TIMEOUT}
        ENVIRONMENT "${TEST_ENV}" SKIP_RETURN_CODE 77)
    if(TEST_KERNEL)
        set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABEL};kernel" RUN_SERIAL ON)
    endif()
    if(TEST_BUILT_KERNEL)
        set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABEL};kernel"
            FIXTURES_REQUIRED test-kernel)
    endif()
endfunction()
