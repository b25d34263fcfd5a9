import BelfryPush
import CNghttp2

/// Header fields in libnghttp2's format, in their own memory, so that it need not copy them for each request.
///
/// The pointers are valid as long as the block exists; code that passes them on must keep the block until they are
/// used.
final class HeaderBlock {
    let count: Int
    let fields: UnsafeMutablePointer<nghttp2_nv>
    private let text: UnsafeMutablePointer<UInt8>

    init(_ headers: [HeaderField]) {
        count = headers.count
        fields = .allocate(capacity: max(1, headers.count))
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        text = .allocate(capacity: max(1, bytes))
        let flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        // Each byte of the headers is written once, and `bytes` is their number, so that `end` stays inside `text`.
        var end = text
        for (index, header) in headers.enumerated() {
            let name = end
            for byte in header.name.utf8 {
                end.initialize(to: Self.lowercased(byte))
                end += 1
            }
            let value = end
            for byte in header.value.utf8 {
                end.initialize(to: byte)
                end += 1
            }
            (fields + index).initialize(
                to: nghttp2_nv(name: name, value: value, namelen: value - name, valuelen: end - value, flags: flags)
            )
        }
    }

    deinit {
        fields.deallocate()
        text.deallocate()
    }

    /// The lower-case byte. libnghttp2 lower-cases names only if it copies them, which it does not do here.
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// The blocks of the most recent common headers, found by the identity of their object.
struct CommonBlocks {
    /// The maximum number of blocks. A sender has one for each app and kind of push that it sends at the same time.
    static let limit = 64

    private struct Entry {
        let headers: CommonHeaders
        let block: HeaderBlock
    }

    private var latest: Entry?
    // An entry retains its headers, so that no other object can get the same identity.
    private var entries: [ObjectIdentifier: Entry] = [:]

    mutating func block(for headers: CommonHeaders) -> HeaderBlock {
        if let latest, latest.headers === headers { return latest.block }
        let identity = ObjectIdentifier(headers)
        let entry = entries[identity] ?? Entry(headers: headers, block: HeaderBlock(headers.fields))
        if entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
        entries[identity] = entry
        latest = entry
        return entry.block
    }
}
