import BelfryPush
import CNghttp2

/// Builds the header fields of one request after the other, in memory that is reused.
final class RequestHeaders {
    /// `:method`, `:scheme`, `:authority` and `:path`. The value of `:path` is the request's.
    private let pseudo: HeaderBlock
    /// The fields built last, valid until the next call of `build`. libnghttp2 copies from `text` when it takes the
    /// request.
    private(set) var fields: UnsafeMutablePointer<nghttp2_nv>
    private var fieldCapacity = 32
    private var text: UnsafeMutablePointer<UInt8>
    private var textCapacity = 1_024
    /// The fields of the previous request.
    private var previous: [HeaderField] = []

    init(authority: String) {
        pseudo = HeaderBlock([
            HeaderField(":method", "POST"),
            HeaderField(":scheme", "https"),
            HeaderField(":authority", authority),
            HeaderField(":path", ""),
        ])
        fields = .allocate(capacity: fieldCapacity)
        text = .allocate(capacity: textCapacity)
    }

    deinit {
        fields.deallocate()
        text.deallocate()
    }

    /// Fills `fields` and returns their number.
    ///
    /// A field in HPACK's dynamic table (4 KiB) costs one byte when it is repeated. Path and `apns-id` never repeat: in
    /// the table they would displace all other fields after every 50 requests, and they would cost time (0.76 µs a
    /// request instead of 0.49, measured). So they are marked as not to be indexed. A field that is the same as in the
    /// previous request, such as a campaign's collapse id, is not marked. libnghttp2 never indexes `authorization`,
    /// whatever the mark.
    func build(_ request: PushRequest, common: HeaderBlock) -> Int {
        let count = pseudo.count + common.count + request.fields.count
        reserve(fields: count, text: Self.textSize(request))
        fields.initialize(from: pseudo.fields, count: pseudo.count)
        (fields + pseudo.count).initialize(from: common.fields, count: common.count)

        // `reserve` has made room for every byte that `append` writes.
        var end = text
        let path = fields + (pseudo.count - 1)
        path.pointee.value = end
        path.pointee.valuelen = Self.append(request.path, to: &end)
        path.pointee.flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_INDEX.rawValue)

        var field = fields + (pseudo.count + common.count)
        for (index, header) in request.fields.enumerated() {
            let repeats = index < previous.count && previous[index] == header
            let name = end
            let nameSize = Self.append(header.name, to: &end)
            let value = end
            let valueSize = Self.append(header.value, to: &end)
            let flags = repeats ? NGHTTP2_NV_FLAG_NONE.rawValue : NGHTTP2_NV_FLAG_NO_INDEX.rawValue
            field.initialize(
                to: nghttp2_nv(name: name, value: value, namelen: nameSize, valuelen: valueSize, flags: UInt8(flags))
            )
            field += 1
        }
        previous = request.fields
        return count
    }

    private static func textSize(_ request: PushRequest) -> Int {
        request.fields.reduce(request.path.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    private static func append(_ string: String, to end: inout UnsafeMutablePointer<UInt8>) -> Int {
        var string = string
        let size = string.withUTF8 { bytes in
            if let start = bytes.baseAddress { end.initialize(from: start, count: bytes.count) }
            return bytes.count
        }
        end += size
        return size
    }

    private func reserve(fields fieldCount: Int, text textSize: Int) {
        if fieldCount > fieldCapacity {
            fields.deallocate()
            fieldCapacity = fieldCount
            fields = .allocate(capacity: fieldCapacity)
        }
        if textSize > textCapacity {
            text.deallocate()
            textCapacity = textSize
            text = .allocate(capacity: textCapacity)
        }
    }
}
