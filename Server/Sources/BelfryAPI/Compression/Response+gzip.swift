import Hummingbird

extension Response {
    /// Answers of fewer bytes are not worth it.
    static let smallestCompressed = 1_024

    /// Packs the body when it is large enough and the client takes it so (WIRE-27).
    mutating func compress(for request: Request) async throws {
        guard let length = body.contentLength, length >= Self.smallestCompressed,
            !headers.contains(.contentEncoding)
        else { return }
        vary(by: .acceptEncoding)
        guard let accepted = request.headers[.acceptEncoding], AcceptedEncoding.prefersGzip(accepted),
            let packed = Deflation.gzip(Array(try await body.collected().readableBytesView))
        else { return }
        headers[.contentEncoding] = "gzip"
        // Not the same bytes any more, but the same content (RFC 9110 §8.8.3).
        if let tag = headers[.eTag], !tag.hasPrefix("W/") { headers[.eTag] = "W/" + tag }
        body = ResponseBody(byteBuffer: ByteBuffer(bytes: packed))
    }

    /// Tells caches that the answer depends on a header of the request.
    mutating func vary(by name: HeaderName) {
        headers[.vary] = headers[.vary].map { "\($0), \(name.rawName)" } ?? name.rawName
    }
}

extension ResponseBody {
    /// All that it writes.
    func collected() async throws -> ByteBuffer {
        let collector = BodyCollector()
        try await write(collector)
        return collector.collected.buffer
    }
}

private struct BodyCollector: ResponseBodyWriter {
    final class Collected {
        var buffer = ByteBuffer()
    }

    let collected = Collected()

    func write(_ buffer: ByteBuffer) async throws {
        collected.buffer.writeImmutableBuffer(buffer)
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
