# culprit_layer(NAME SOURCES … LINK …): one folder of orchestrator/ as one static library.
# What a folder does not link it cannot include: its headers are reached as
# "folder/header.h" from orchestrator/, and each target exports only its own folder's view.
function(culprit_layer name)
    cmake_parse_arguments(LAYER "" "" "SOURCES;LINK;PRIVATE" ${ARGN})
    add_library(${name} STATIC ${LAYER_SOURCES})
    add_library(culprit::${name} ALIAS ${name})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/orchestrator")
    target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
    target_link_libraries(${name}
        PUBLIC ${LAYER_LINK}
        PRIVATE culprit::warnings culprit::sanitize ${LAYER_PRIVATE})
endfunction()
