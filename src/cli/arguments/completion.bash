# Completes animal-store in bash. To load it, in ~/.bashrc: source <(animal-store completion bash)

# Bash breaks words at : and = too, so the line is broken here, and only what follows the last of them is offered.
_animal_store() {
  local line="${COMP_LINE:0:COMP_POINT}" words answer typed before i
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  typed="${words[${#words[@]} - 1]}"
  before="${typed%"${typed##*[:=]}"}"
  COMPREPLY=()
  answer=()
  while IFS= read -r i; do answer+=("$i"); done < <("${words[0]}" complete -- "${words[@]:1}" 2> /dev/null)
  case "${answer[0]}" in
    files) compopt -o default 2> /dev/null ;;
    folders) compopt -o dirnames 2> /dev/null ;;
    words)
      for ((i = 1; i < ${#answer[@]}; i++)); do
        typed="${answer[i]%%$'\t'*}"
        COMPREPLY+=("${typed#"$before"}")
      done
      ;;
  esac
}
complete -F _animal_store animal-store
