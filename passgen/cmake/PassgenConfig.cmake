# passgen_generate(TARGET
#                  SPECS spec...
#                  [TARGETS name...]       # what to write; python and markdown
#                  [OUTPUT_DIR folder]     # by default CMAKE_CURRENT_BINARY_DIR
#                  [TEMPLATE_DIR folder]   # templates that come before passgen's own
#                  [OUTPUTS variable])     # gets the paths of what is written
#
# Adds a target that writes what the specs become, as a part of `all`. One process does
# all specs. The outputs depend on the specs, what they include, and the templates.
#
# Found by: find_package(Passgen REQUIRED PATHS "<what passgen --cmake-dir prints>")

cmake_minimum_required(VERSION 3.20)

find_program(PASSGEN_EXECUTABLE passgen REQUIRED DOC "the pass generator")

function(passgen_generate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg
    "" "OUTPUT_DIR;TEMPLATE_DIR;OUTPUTS" "SPECS;TARGETS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SPECS)
    message(FATAL_ERROR
      "passgen_generate(${target}): expected SPECS, found '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_OUTPUT_DIR)
    set(arg_OUTPUT_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  cmake_path(ABSOLUTE_PATH arg_OUTPUT_DIR
    BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  # CMake takes relative paths in depfiles to be below the build, so none is relative.
  set(specs)
  foreach(spec IN LISTS arg_SPECS)
    cmake_path(ABSOLUTE_PATH spec BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND specs "${spec}")
  endforeach()

  set(arguments -o "${arg_OUTPUT_DIR}")
  foreach(name IN LISTS arg_TARGETS)
    list(APPEND arguments --target "${name}")
  endforeach()
  if(arg_TEMPLATE_DIR)
    cmake_path(ABSOLUTE_PATH arg_TEMPLATE_DIR
      BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND arguments --template-dir "${arg_TEMPLATE_DIR}")
  endif()
  list(APPEND arguments ${specs})

  # Names of outputs come from groups, which specs name: ask, and again if one changes.
  execute_process(
    COMMAND "${PASSGEN_EXECUTABLE}" --list-outputs ${arguments}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    OUTPUT_VARIABLE outputs
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "passgen_generate(${target}): a spec is wrong")
  endif()
  string(REPLACE "\n" ";" outputs "${outputs}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${specs})

  set(depfile "${CMAKE_CURRENT_BINARY_DIR}/${target}.passgen.d")
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND "${PASSGEN_EXECUTABLE}" --depfile "${depfile}" ${arguments}
    DEPENDS ${specs}
    DEPFILE "${depfile}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Generating passes: ${target}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${outputs})
  if(arg_OUTPUTS)
    set(${arg_OUTPUTS} ${outputs} PARENT_SCOPE)
  endif()
endfunction()
