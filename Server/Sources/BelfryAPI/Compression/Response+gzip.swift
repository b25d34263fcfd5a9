import Hummingbird

extension Response {
    /// Smaller responses are not worth compressing.
    static let smallestCompressed = 1_024

    /// Compresses the body if it is large enough and the client accepts that (WIRE-27).
    mutating func compress(for request: Request) async throws {
        guard let length = body.contentLength, length >= Self.smallestCompressed,
            !headers.contains(.contentEncoding)
        else { return }
        vary(by: .acceptEncoding)
        guard let accepted = request.headers[.acceptEncoding], AcceptedEncoding.prefersGzip(accepted),
            let packed = Deflation.gzip(Array(try await body.collected().readableBytesView))
        else { return }
        headers[.contentEncoding] = "gzip"
        // The bytes differ, but the content is the same, so the tag becomes weak (RFC 9110 §8.8.3).
        if let tag = headers[.eTag], !tag.utf8.starts(with: "W/".utf8) { headers[.eTag] = "W/" + tag }
        body = ResponseBody(byteBuffer: ByteBuffer(bytes: packed))
    }

    /// Tells caches that the response depends on a request header.
    mutating func vary(by name: HeaderName) {
        headers[.vary] = headers[.vary].map { "\($0), \(name.rawName)" } ?? name.rawName
    }
}

extension ResponseBody {
    /// All bytes that the body writes.
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
