//! Tests of buffers: what is written is read, and memory of the host and of others is used where it lies.

use super::*;

fn memory(limit: u64) -> Memory {
    Memory::new(CachingAllocator::shared(limit), limit)
}

fn whole(buffer: BufferId, len: u64) -> Slice {
    Slice { buffer, offset: 0, len }
}

#[test]
fn what_is_written_is_read() {
    let mut memory = memory(1 << 20);
    for elem in ScalarType::ALL {
        let buffer = memory.allocate(elem, 5).unwrap();
        let scalars: Vec<Scalar> = [0, 1, 0, 1, 1].map(|bits| Scalar::from_bits(elem, bits)).into();
        memory.write(whole(buffer, 5), &Buffer::from_scalars(elem, &scalars)).unwrap();
        let part = memory.read(Slice { buffer, offset: 3, len: 2 }).unwrap();
        assert_eq!((part.elem(), part.get(0), part.get(1)), (elem, scalars[3], scalars[4]));
        assert_eq!(memory.number(Cell { buffer, at: 1 }), Ok(scalars[1]));
        memory.free(buffer).unwrap();
    }
    assert_eq!(memory.in_use(), 0);
}

#[test]
fn devices_read_what_others_wrote() {
    let allocator = CachingAllocator::shared(1 << 30);
    let [mut one, mut other] = [(); 2].map(|()| Memory::new(Arc::clone(&allocator), 1 << 30));
    let elements = Buffer::from_scalars(ScalarType::I64, &[Scalar::I64(4), Scalar::I64(5)]);
    let same = |found: &Buffer| (found.get(0), found.get(1)) == (elements.get(0), elements.get(1));
    let buffer = one.allocate(ScalarType::I64, 1 << 20).unwrap();
    one.write(whole(buffer, 2), &elements).unwrap();
    one.trim(buffer, 2).unwrap();
    let shared = one.share(buffer).unwrap();
    assert!(one.in_use() <= 2 << 20, "{}", one.in_use());
    let there = other.adopt(&shared).unwrap();
    one.free(buffer).unwrap();
    assert!(same(&other.read(whole(there, 2)).unwrap()));
    other.free(there).unwrap();
    drop((one, other));
    assert!(same(&shared.read(0, 2).unwrap()));
    assert!(shared.read(1, 2).is_err());
    drop(shared);
    assert_eq!(allocator.lock().unwrap().in_use(), 0);
}

#[test]
fn memory_of_the_host_is_used_where_it_is() {
    let mut memory = memory(64 << 20);
    let mut data = Buffer::with_margin(ScalarType::I64, 1 << 20);
    data.set(7, Scalar::I64(9));
    let data = Arc::new(data);
    let buffer = memory.lend(&data).unwrap();
    assert_eq!(memory.in_use(), 8 << 20);
    let place = memory.place(whole(buffer, 1 << 20)).unwrap();
    assert_eq!(place.data.cast_const(), data.start());
    assert_eq!(memory.number(Cell { buffer, at: 7 }), Ok(Scalar::I64(9)));
    let shared = memory.share(buffer).unwrap();
    let there = memory.adopt(&shared).unwrap();
    memory.free(buffer).unwrap();
    assert_eq!(memory.number(Cell { buffer: there, at: 7 }), Ok(Scalar::I64(9)));
    assert_eq!(shared.read(7, 1).unwrap().get(0), Scalar::I64(9));
    memory.free(there).unwrap();
    assert_eq!(memory.in_use(), 8 << 20);
    drop(shared);
    assert_eq!((memory.in_use(), Arc::strong_count(&data)), (0, 1));
    // Not lent: memory unreadable past its end, small data, and data that exceeds the limit.
    assert!(memory.lend(&Arc::new(Buffer::I64(vec![0; 1 << 20]))).is_none());
    assert!(memory.lend(&Arc::new(Buffer::with_margin(ScalarType::U8, 1 << 19))).is_none());
    assert!(memory.lend(&Arc::new(Buffer::with_margin(ScalarType::U8, 65 << 20))).is_none());
    let kept = memory.lend(&data).unwrap();
    let allocator = Arc::clone(&memory.allocator);
    drop(memory);
    let _ = kept;
    assert_eq!((allocator.lock().unwrap().in_use(), Arc::strong_count(&data)), (0, 1));
}

#[test]
fn memory_of_others_is_used_where_it_is() {
    /// Bytes from a multiple of `PAGE` on, so that the end of the page is known.
    struct Owned(Vec<u8>, usize);
    impl AsRef<[u8]> for Owned {
        fn as_ref(&self) -> &[u8] {
            let from = (self.0.as_ptr() as usize).wrapping_neg() % 4096;
            &self.0[from..from + self.1]
        }
    }
    let mut memory = memory(64 << 20);
    let lent = |memory: &mut Memory, bytes: usize| {
        let mut room = vec![0; bytes + 4096];
        let from = (room.as_ptr() as usize).wrapping_neg() % 4096;
        room[from + 7] = 9;
        let owned = HostMemory::new(Owned(room, bytes), ScalarType::U8).unwrap();
        let (start, shared) = (owned.bytes().as_ptr(), Arc::new(owned) as Arc<dyn SharedBuffer>);
        (start, memory.adopt(&shared))
    };
    let size = (2 << 20) - MARGIN;
    let (start, buffer) = lent(&mut memory, size);
    let buffer = buffer.unwrap();
    assert_eq!(memory.place(whole(buffer, size as u64)).unwrap().data.cast_const(), start);
    assert_eq!(memory.number(Cell { buffer, at: 7 }), Ok(Scalar::U8(9)));
    let shared = memory.share(buffer).unwrap();
    assert_eq!(shared.host().map(<[u8]>::as_ptr), Some(start));
    memory.free(buffer).unwrap();
    assert_eq!(memory.in_use(), size as u64);
    drop(shared);
    assert_eq!(memory.in_use(), 0);
    // Not used as it lies: what ends too near to the end of a page, small data, and data that exceeds the limit.
    for bytes in [size + 1, 2 << 20, 1000, (65 << 20) - MARGIN] {
        assert_eq!(lent(&mut memory, bytes).1, None, "{bytes}");
    }
}

#[test]
fn what_is_read_for_the_last_time_goes() {
    let mut memory = memory(1 << 30);
    for (elem, len) in [(ScalarType::I64, 5 << 20), (ScalarType::Bool, 33 << 20), (ScalarType::F32, 3)] {
        let numbers: Vec<Scalar> = (0..len).map(|at| Scalar::from_bits(elem, at % 2)).collect();
        let elements = Buffer::from_scalars(elem, &numbers);
        let buffer = memory.allocate(elem, len).unwrap();
        memory.write(whole(buffer, len), &elements).unwrap();
        let taken = memory.take_out(whole(buffer, len)).unwrap();
        assert!((0..len as usize).all(|at| taken.get(at) == numbers[at]), "{elem}");
        assert!(len == 3 || cfg!(not(unix)) || memory.in_use() <= 4 << 20, "{}", memory.in_use());
        memory.free(buffer).unwrap();
        assert_eq!(memory.in_use(), 0);
    }
}

#[test]
fn freed_buffers_are_not_found() {
    let mut memory = memory(1 << 20);
    let first = memory.allocate(ScalarType::I64, 4).unwrap();
    memory.free(first).unwrap();
    let second = memory.allocate(ScalarType::I64, 4).unwrap();
    assert_ne!(first, second);
    assert!(matches!(memory.read(whole(first, 4)), Err(DeviceError::Bug(_))));
    assert!(matches!(memory.free(first), Err(DeviceError::Bug(_))));
    assert!(memory.read(whole(second, 4)).is_ok());
    assert!(matches!(memory.read(whole(second, 5)), Err(DeviceError::Bug(_))));
    assert!(matches!(
        memory.read(Slice { buffer: second, offset: u64::MAX, len: 2 }),
        Err(DeviceError::Bug(_))
    ));
}

#[test]
fn trimmed_buffers_give_way() {
    let mut memory = memory(20 << 20);
    let buffer = memory.allocate(ScalarType::U8, 16 << 20).unwrap();
    let refused = memory.allocate(ScalarType::U8, 8 << 20);
    assert!(
        matches!(refused, Err(DeviceError::OutOfMemory { wanted, free: Some(free) }) if wanted == 8 << 20 && free < 4 << 20)
    );
    memory.trim(buffer, 1 << 20).unwrap();
    assert!(cfg!(not(unix)) || memory.allocate(ScalarType::U8, 8 << 20).is_ok());
    assert!(memory.read(whole(buffer, 1 << 20)).is_ok());
}

#[test]
fn nothing_is_so_large() {
    let mut memory = memory(u64::MAX);
    for len in [u64::MAX, u64::MAX / 8, 1 << 60] {
        let refused = memory.allocate(ScalarType::F64, len);
        assert!(matches!(refused, Err(DeviceError::OutOfMemory { .. })), "{refused:?}");
    }
}
