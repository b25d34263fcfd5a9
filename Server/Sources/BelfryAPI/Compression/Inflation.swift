import CZlib

/// Decompresses a body up to a limit: a small one may expand a thousandfold (SEC-2).
struct Inflation {
    enum Failure: Error, Hashable, Sendable {
        /// Invalid, incomplete, or followed by other bytes.
        case broken
        /// Larger than the limit.
        case tooLarge
    }

    private static let chunkSize = 65_536
    /// zlib's largest window; 16 more selects gzip's header.
    private static let windowBits: Int32 = 15

    let coding: ContentCoding
    /// Bytes of output at a time.
    let limit: Int

    func unpacked(_ packed: [UInt8]) throws(Failure) -> [UInt8] {
        var stream = z_stream()
        let bits = coding == .gzip ? Self.windowBits + 16 : Self.windowBits
        // zlib keeps a pointer to its stream, which must not move meanwhile.
        let outcome = withUnsafeMutablePointer(to: &stream) { stream -> Result<[UInt8], Failure> in
            let size = Int32(MemoryLayout<z_stream>.size)
            guard inflateInit2_(stream, bits, ZLIB_VERSION, size) == Z_OK else { return .failure(.broken) }
            defer { inflateEnd(stream) }
            return packed.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(input.count)
                return run(stream)
            }
        }
        return try outcome.get()
    }

    private func run(_ stream: UnsafeMutablePointer<z_stream>) -> Result<[UInt8], Failure> {
        var plain: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        while true {
            let (status, count) = chunk.withUnsafeMutableBufferPointer { output -> (Int32, Int) in
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                let status = inflate(stream, Z_NO_FLUSH)
                return (status, output.count - Int(stream.pointee.avail_out))
            }
            guard plain.count + count <= limit else { return .failure(.tooLarge) }
            plain.append(contentsOf: chunk.prefix(count))
            switch status {
            case Z_OK:
                continue
            case Z_STREAM_END where stream.pointee.avail_in == 0:
                return .success(plain)
            case Z_STREAM_END where coding == .gzip && inflateReset(stream) == Z_OK:
                // Several members may follow one another (RFC 1952 §2.2).
                continue
            default:
                return .failure(.broken)
            }
        }
    }
}
