// From one place in memory to another, whatever bytes of a word they begin and end at: each thread makes a word of where they go. The places share no word.
@compute @workgroup_size(64)
fn copy(@builtin(local_invocation_index) tid: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let from_byte = params[0];
  let to_byte = params[1];
  let end = to_byte + params[2] - 1u;
  let first = to_byte / 4u;
  let at = first + (group.y * groups.x + group.x) * 64u + tid;
  if (at > end / 4u) { return; }
  // The word's first byte comes from so many bytes behind the beginning of a word.
  let behind = (from_byte - to_byte) & 3u;
  let source = at + from_byte / 4u - first - select(0u, 1u, (from_byte & 3u) < (to_byte & 3u));
  var word = heap[source];
  if (behind != 0u) {
    word = (word >> (8u * behind)) | (heap[source + 1u] << (32u - 8u * behind));
  }
  var mask = 0xffffffffu;
  if (at == first) { mask = mask << (8u * (to_byte & 3u)); }
  if (at == end / 4u) { mask = mask & (0xffffffffu >> (24u - 8u * (end & 3u))); }
  if (mask != 0xffffffffu) { word = (heap[at] & ~mask) | (word & mask); }
  heap[at] = word;
}
