//! ELF reader: the tables of an object, with sections, symbols, relocations. It only reads: nothing here knows the effect of a relocation.

use super::ObjectError;
use super::bytes::{slice, u16_at, u32_at, u64_at};

/// The processors whose objects are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Machine {
    X86_64,
    AArch64,
}

impl Machine {
    /// The processor of this process, if it is one of them.
    pub(super) fn host() -> Option<Machine> {
        match std::env::consts::ARCH {
            "x86_64" => Some(Machine::X86_64),
            "aarch64" => Some(Machine::AArch64),
            _ => None,
        }
    }
}

/// An object, its tables read and checked as far as they stand alone.
#[derive(Debug)]
pub(super) struct Elf<'a> {
    pub machine: Machine,
    pub sections: Vec<Section<'a>>,
    pub symbols: Vec<Symbol<'a>>,
    pub relocations: Vec<Relocation>,
}

/// A section; those that are not loaded stay in the list, since symbols and relocations count them.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub access: Option<Access>,
    /// Bytes of memory; more than `data` for sections of zeros.
    pub size: u64,
    pub align: u64,
    pub data: &'a [u8],
}

/// Access permitted to a section's pages once loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    Code,
    Constants,
    Variables,
}

/// A symbol.
#[derive(Debug)]
pub(super) struct Symbol<'a> {
    pub name: &'a str,
    pub place: Place,
    pub function: bool,
    pub weak: bool,
}

/// The location of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Undefined,
    Absolute(u64),
    Section { index: usize, offset: u64 },
}

/// A field to be patched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relocation {
    pub section: usize,
    pub offset: u64,
    pub kind: u32,
    pub symbol: usize,
    pub addend: i64,
}

const SHT_SYMTAB: u32 = 2;
const SHT_RELA: u32 = 4;
const SHT_NOBITS: u32 = 8;
const SHT_REL: u32 = 9;
const SHF_WRITE: u64 = 1;
const SHF_ALLOC: u64 = 2;
const SHF_EXECINSTR: u64 = 4;
const SHF_TLS: u64 = 0x400;
const SHF_COMPRESSED: u64 = 0x800;
const SHN_LORESERVE: u16 = 0xff00;
const SHN_ABS: u16 = 0xfff1;
const STT_FUNC: u8 = 2;
const STT_TLS: u8 = 6;
const STT_GNU_IFUNC: u8 = 10;
const STB_WEAK: u8 = 2;

/// The largest alignment of a section. No system's pages are larger, and no compiler asks for more.
pub(super) const MAX_ALIGN: u64 = 4096;

/// A section header, its numbers as they stand in the file.
struct Header {
    name: u32,
    kind: u32,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry_size: u64,
}

/// Reads an object.
pub(super) fn read(file: &[u8]) -> Result<Elf<'_>, ObjectError> {
    let machine = read_machine(file)?;
    let headers = read_headers(file)?;
    let names = section_names(file, &headers)?;
    let sections =
        headers.iter().map(|header| read_section(file, header, names)).collect::<Result<Vec<_>, _>>()?;
    let symbols = read_symbols(file, &headers)?;
    let relocations = read_relocations(file, &headers, &sections, symbols.len())?;
    Ok(Elf { machine, sections, symbols, relocations })
}

fn read_machine(file: &[u8]) -> Result<Machine, ObjectError> {
    if file.starts_with(&[0xcf, 0xfa, 0xed, 0xfe]) {
        return Err(ObjectError::Kind("it is a Mach-O file"));
    }
    if !file.starts_with(b"\x7fELF") {
        return Err(ObjectError::Kind("the first bytes differ"));
    }
    if file.get(4..6) != Some(&[2, 1]) {
        return Err(ObjectError::Kind("not of 64 bits, little-endian"));
    }
    if u16_at(file, 0x10, "kind of file")? != 1 {
        return Err(ObjectError::Kind("it is linked already"));
    }
    match u16_at(file, 0x12, "machine")? {
        62 => Ok(Machine::X86_64),
        183 => Ok(Machine::AArch64),
        other => Err(ObjectError::Machine(other)),
    }
}

fn read_headers(file: &[u8]) -> Result<Vec<Header>, ObjectError> {
    const WHAT: &str = "table of sections";
    let offset = u64_at(file, 0x28, WHAT)?;
    let count = u16_at(file, 0x3c, WHAT)?;
    if u16_at(file, 0x3a, WHAT)? != 64 || count == 0 {
        return Err(ObjectError::Malformed(WHAT));
    }
    let table = slice(file, offset, u64::from(count) * 64, WHAT)?;
    table.chunks_exact(64).map(read_header).collect()
}

fn read_header(bytes: &[u8]) -> Result<Header, ObjectError> {
    const WHAT: &str = "header of a section";
    Ok(Header {
        name: u32_at(bytes, 0, WHAT)?,
        kind: u32_at(bytes, 4, WHAT)?,
        flags: u64_at(bytes, 8, WHAT)?,
        offset: u64_at(bytes, 24, WHAT)?,
        size: u64_at(bytes, 32, WHAT)?,
        link: u32_at(bytes, 40, WHAT)?,
        info: u32_at(bytes, 44, WHAT)?,
        align: u64_at(bytes, 48, WHAT)?,
        entry_size: u64_at(bytes, 56, WHAT)?,
    })
}

fn section_names<'a>(file: &'a [u8], headers: &[Header]) -> Result<&'a [u8], ObjectError> {
    let index = usize::from(u16_at(file, 0x3e, "names of sections")?);
    contents(file, headers.get(index), "names of sections")
}

fn contents<'a>(
    file: &'a [u8],
    header: Option<&Header>,
    what: &'static str,
) -> Result<&'a [u8], ObjectError> {
    let header = header.ok_or(ObjectError::Malformed(what))?;
    slice(file, header.offset, header.size, what)
}

fn read_section<'a>(file: &'a [u8], header: &Header, names: &[u8]) -> Result<Section<'a>, ObjectError> {
    let access = section_access(header, names)?;
    let align = header.align.max(1);
    if access.is_some() && (!align.is_power_of_two() || align > MAX_ALIGN) {
        return Err(ObjectError::Malformed("alignment of a section"));
    }
    let data = if access.is_none() || header.kind == SHT_NOBITS {
        &[][..]
    } else {
        slice(file, header.offset, header.size, "contents of a section")?
    };
    Ok(Section { access, size: header.size, align, data })
}

fn section_access(header: &Header, names: &[u8]) -> Result<Option<Access>, ObjectError> {
    let flags = header.flags;
    if flags & SHF_ALLOC == 0 || text_at(names, header.name)? == ".eh_frame" {
        return Ok(None);
    }
    if flags & SHF_TLS != 0 {
        return Err(ObjectError::Unsupported("thread-local variables"));
    }
    if flags & SHF_COMPRESSED != 0 {
        return Err(ObjectError::Unsupported("compressed sections"));
    }
    Ok(Some(match (flags & SHF_EXECINSTR != 0, flags & SHF_WRITE != 0) {
        (true, true) => return Err(ObjectError::Unsupported("code that is writable")),
        (true, false) => Access::Code,
        (false, true) => Access::Variables,
        (false, false) => Access::Constants,
    }))
}

/// The string that starts at `offset` of a string table and ends with a zero.
fn text_at(table: &[u8], offset: u32) -> Result<&str, ObjectError> {
    let rest = table.get(offset as usize..);
    let text = rest.and_then(|rest| rest.split(|&byte| byte == 0).next());
    text.and_then(|text| std::str::from_utf8(text).ok()).ok_or(ObjectError::Malformed("a name"))
}

/// An object has one table of symbols, or none.
fn read_symbols<'a>(file: &'a [u8], headers: &[Header]) -> Result<Vec<Symbol<'a>>, ObjectError> {
    const WHAT: &str = "table of symbols";
    let mut tables = headers.iter().filter(|header| header.kind == SHT_SYMTAB);
    let Some(table) = tables.next() else { return Ok(Vec::new()) };
    if tables.next().is_some() || table.entry_size != 24 {
        return Err(ObjectError::Malformed(WHAT));
    }
    let names = contents(file, headers.get(table.link as usize), "names of symbols")?;
    let entries = contents(file, Some(table), WHAT)?;
    entries.chunks_exact(24).map(|entry| read_symbol(entry, names, headers.len())).collect()
}

fn read_symbol<'a>(entry: &[u8], names: &'a [u8], n_sections: usize) -> Result<Symbol<'a>, ObjectError> {
    const WHAT: &str = "a symbol";
    let name = text_at(names, u32_at(entry, 0, WHAT)?)?;
    let [info, _] = super::bytes::read::<2>(entry, 4, WHAT)?;
    let section = u16_at(entry, 6, WHAT)?;
    let value = u64_at(entry, 8, WHAT)?;
    match info & 15 {
        STT_TLS => return Err(ObjectError::Unsupported("thread-local variables")),
        STT_GNU_IFUNC => return Err(ObjectError::Unsupported("indirect functions")),
        _ => {}
    }
    let place = match section {
        0 => Place::Undefined,
        SHN_ABS => Place::Absolute(value),
        SHN_LORESERVE.. => return Err(ObjectError::Unsupported("common symbols or many sections")),
        index if usize::from(index) < n_sections => Place::Section { index: index.into(), offset: value },
        _ => return Err(ObjectError::Malformed(WHAT)),
    };
    Ok(Symbol { name, place, function: info & 15 == STT_FUNC, weak: info >> 4 == STB_WEAK })
}

/// The relocations of all loaded sections.
fn read_relocations(
    file: &[u8],
    headers: &[Header],
    sections: &[Section<'_>],
    n_symbols: usize,
) -> Result<Vec<Relocation>, ObjectError> {
    const WHAT: &str = "table of relocations";
    let mut all = Vec::new();
    for header in headers.iter().filter(|header| header.kind == SHT_RELA || header.kind == SHT_REL) {
        let section = header.info as usize;
        let target = sections.get(section).ok_or(ObjectError::Malformed(WHAT))?;
        if target.access.is_none() {
            continue;
        }
        if header.kind == SHT_REL || header.entry_size != 24 {
            return Err(ObjectError::Unsupported("relocations without addends"));
        }
        for entry in contents(file, Some(header), WHAT)?.chunks_exact(24) {
            let relocation = read_relocation(entry, section)?;
            if relocation.symbol >= n_symbols {
                return Err(ObjectError::Malformed("symbol of a relocation"));
            }
            all.push(relocation);
        }
    }
    Ok(all)
}

fn read_relocation(entry: &[u8], section: usize) -> Result<Relocation, ObjectError> {
    const WHAT: &str = "a relocation";
    let info = u64_at(entry, 8, WHAT)?;
    Ok(Relocation {
        section,
        offset: u64_at(entry, 0, WHAT)?,
        kind: info as u32,
        symbol: (info >> 32) as usize,
        addend: u64_at(entry, 16, WHAT)? as i64,
    })
}
