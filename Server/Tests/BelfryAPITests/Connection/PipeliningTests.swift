import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BelfryAPI

/// SEC-12: how many requests of a connection are under way at a time, in a pipeline without a socket.
@Suite("Pipelined requests")
struct PipeliningTests {
    /// What has reached the end of the pipeline, and what has reached the socket.
    private struct Stage {
        let channel = EmbeddedChannel()
        let record = Record()

        init() throws {
            let framing = RequestFraming()
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ReadRecorder(record))
            try pipeline.addHandler(HeadSlices(framing))
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false
            )
            try pipeline.addHandler(framing)
            try pipeline.addHandler(RequestRecorder(record))
            channel.connect(to: try SocketAddress(ipAddress: "203.0.113.5", port: 1), promise: nil)
        }

        func receive(_ text: String) throws {
            try channel.writeInbound(ByteBuffer(string: text))
        }

        /// Answers the oldest request.
        func answer() throws {
            let head = HTTPResponseHead(version: .http1_1, status: .noContent)
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
            channel.embeddedEventLoop.run()
        }

        /// The library's own response to what it cannot read.
        func reject() {
            let fields = HTTPHeaders([("connection", "close"), ("content-length", "0")])
            let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: fields)
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
            channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
            channel.embeddedEventLoop.run()
        }

        /// What has reached the socket since the last call.
        func sent() throws -> String {
            var text = ""
            while case .byteBuffer(let part)? = try channel.readOutbound(as: IOData.self) {
                text += String(buffer: part)
            }
            return text
        }

        func finish() throws {
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    private final class Record {
        var addresses: [String] = []
        var bodyBytes = 0
        var reads = 0
        var errors = 0
        var hasEnded = false
    }

    private final class ReadRecorder: ChannelOutboundHandler {
        typealias OutboundIn = Any

        private let record: Record

        init(_ record: Record) {
            self.record = record
        }

        func read(context: ChannelHandlerContext) {
            record.reads += 1
            context.read()
        }
    }

    private final class RequestRecorder: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart

        private let record: Record

        init(_ record: Record) {
            self.record = record
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): record.addresses.append(head.uri)
            case .body(let body): record.bodyBytes += body.readableBytes
            case .end: break
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent { record.hasEnded = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            record.errors += 1
        }
    }

    private static func request(_ number: Int) -> String { "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n" }

    @Test(
        "SEC-12: of many requests in one piece few pass at a time, and all in their order", arguments: [false, true])
    func manyInOne(ends: Bool) throws {
        let stage = try Stage()
        let count = 500
        try stage.receive((0..<count).map(Self.request).joined())
        if ends { stage.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        // At most one slice reaches the parser at once.
        let most = 8 + 4_096 / Self.request(0).utf8.count
        for answered in 0..<count {
            #expect(stage.record.addresses.count - answered <= most)
            try #require(stage.record.addresses.count > answered, "the next one never came")
            #expect(!stage.record.hasEnded || stage.record.addresses.count == count)
            try stage.answer()
        }
        #expect(stage.record.addresses == (0..<count).map { "/\($0)" })
        #expect(stage.record.hasEnded == ends)
        try stage.finish()
    }

    @Test("SEC-12: a rejected HEAD gets the head of a response and no body", arguments: ["HEAD", "GET"])
    func rejected(method: String) throws {
        let stage = try Stage()
        // Without a Host.
        try stage.receive("\(method) / HTTP/1.1\r\n\r\n")
        let response = try stage.sent()
        #expect(response.hasPrefix("HTTP/1.1 400 "), "\(response)")
        #expect(response.hasSuffix("\r\n\r\n") == (method == "HEAD"), "\(response)")
        try stage.finish()
    }

    @Test("SEC-12: nothing more is read while eight requests are unanswered")
    func readsNoFurther() throws {
        let stage = try Stage()
        stage.channel.pipeline.read()
        #expect(stage.record.reads == 1)
        for number in 0..<7 { try stage.receive(Self.request(number)) }
        stage.channel.pipeline.read()
        #expect(stage.record.reads == 2)
        try stage.receive(Self.request(7))
        for _ in 0..<3 { stage.channel.pipeline.read() }
        #expect(stage.record.reads == 2)
        try stage.answer()
        #expect(stage.record.reads == 3)
        try stage.receive(Self.request(8))
        stage.channel.pipeline.read()
        #expect(stage.record.reads == 3)
        for _ in 0..<8 { try stage.answer() }
        #expect(stage.record.reads == 4)
        try stage.finish()
    }

    @Test("SEC-12: a request that has begun is read to its end, however many wait before it")
    func begun() throws {
        let stage = try Stage()
        for number in 0..<7 { try stage.receive(Self.request(number)) }
        try stage.receive("POST /7 HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n0123456789")
        stage.channel.pipeline.read()
        #expect(stage.record.reads == 1)
        try stage.receive("0123456789" + Self.request(8))
        #expect(stage.record.bodyBytes == 20 && stage.record.addresses.count == 8)
        stage.channel.pipeline.read()
        #expect(stage.record.reads == 1)
        try stage.answer()
        #expect(stage.record.addresses.last == "/8")
        try stage.finish()
    }

    @Test("SEC-12: data after unanswered requests is limited")
    func flood() throws {
        let stage = try Stage()
        for number in 0..<8 { try stage.receive(Self.request(number)) }
        // As if the client had closed its side: the system delivers all remaining bytes.
        let piece = String(repeating: Self.request(8), count: 2_000)
        var sent = 0
        while stage.channel.isActive, sent < 4_194_304 {
            try stage.receive(piece)
            sent += piece.utf8.count
        }
        #expect(!stage.channel.isActive && stage.record.addresses.count == 8)
        #expect(sent >= 2_097_152)
        try stage.finish()
    }

    @Test("SEC-12: however much follows an unreadable request, the responses are written before the connection ends")
    func floodBehindUnreadable() throws {
        let stage = try Stage()
        try stage.receive(Self.request(0) + "BROKEN\r\n\r\n")
        #expect(stage.record.addresses == ["/0"] && stage.record.errors == 1)
        stage.channel.pipeline.read()
        #expect(stage.record.reads == 1)
        // More than is discarded, as if the client had closed its side.
        let piece = String(repeating: " ", count: 65_536)
        for _ in 0..<48 { try stage.receive(piece) }
        stage.channel.pipeline.read()
        #expect(stage.channel.isActive && stage.record.reads == 1)
        try stage.answer()
        #expect(stage.channel.isActive && stage.record.reads == 1)
        stage.reject()
        let sent = try stage.sent()
        #expect(sent.hasPrefix("HTTP/1.1 204 ") && sent.contains("HTTP/1.1 400 "), "\(sent)")
        // The client may read its responses before the connection ends, so its bytes are read again.
        #expect(stage.record.reads == 2)
        try stage.finish()
    }

    /// A chunk of a body of 512 KiB.
    private static let chunk = "80000\r\n" + String(repeating: " ", count: 524_288) + "\r\n"

    private static func upload(_ number: Int) -> String {
        "POST /\(number) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    }

    @Test("SEC-12: of a body too much is never passed on, and the responses are written before the connection ends")
    func floodOfChunks() throws {
        let stage = try Stage()
        // Two requests of just enough are none too many.
        for number in 0..<2 {
            try stage.receive(Self.upload(number))
            for _ in 0..<4 { try stage.receive(Self.chunk) }
            try stage.receive("0\r\n\r\n")
            try stage.answer()
        }
        #expect(stage.record.bodyBytes == 2 * 2_097_152)
        try stage.receive(Self.request(2) + Self.upload(3))
        stage.channel.pipeline.read()
        #expect(stage.record.reads == 1)
        for _ in 0..<6 { try stage.receive(Self.chunk) }
        #expect(stage.record.bodyBytes <= 3 * 2_097_152)
        stage.channel.pipeline.read()
        #expect(stage.channel.isActive && stage.record.reads == 1)
        _ = try stage.sent()
        try stage.answer()
        #expect(stage.channel.isActive && stage.record.reads == 1)
        try stage.answer()
        let sent = try stage.sent()
        #expect(sent.components(separatedBy: "HTTP/1.1 204 ").count == 3, "\(sent)")
        #expect(sent.hasSuffix("connection: close\r\n\r\n"), "\(sent)")
        // The client may read its responses before the connection ends, so its bytes are read again.
        #expect(stage.record.reads == 2)
        try stage.finish()
    }

    @Test("SEC-12: a body that goes on for too long behind its response ends the connection")
    func floodBehindResponse() throws {
        let stage = try Stage()
        try stage.receive(Self.upload(0))
        try stage.answer()
        for _ in 0..<4 { try stage.receive(Self.chunk) }
        #expect(stage.channel.isActive && stage.record.reads == 0)
        try stage.receive("1\r\n \r\n")
        #expect(stage.record.bodyBytes == 2_097_152 && stage.record.reads > 0)
        try stage.finish()
    }

    @Test(
        "SEC-12: a body that cannot be read on ends the connection with its response, which says so if that is known",
        arguments: [false, true], [false, true]
    )
    func unreadableRest(isSound: Bool, comesFirst: Bool) throws {
        let stage = try Stage()
        // The size of the chunk is wrong, or not. A request follows.
        let rest = (isSound ? "" : "  ") + "\r\n0\r\n\r\n" + Self.request(2)
        try stage.receive(Self.request(0) + Self.upload(1) + "3\r\n{ }")
        if comesFirst { try stage.receive(rest) }
        try stage.answer()
        let first = try stage.sent()
        #expect(first.hasPrefix("HTTP/1.1 204 ") && !first.contains("close"), "\(first)")
        try stage.answer()
        let second = try stage.sent()
        let saysClose = second.hasSuffix("connection: close\r\n\r\n")
        #expect(second.hasPrefix("HTTP/1.1 204 ") && saysClose == (comesFirst && !isSound), "\(second)")
        if !comesFirst { try stage.receive(rest) }
        #expect(stage.record.addresses == (isSound ? ["/0", "/1", "/2"] : ["/0", "/1"]))
        #expect(stage.record.errors == (isSound ? 0 : 1))
        // The client may read its response before the connection ends, so its bytes are read again.
        #expect(stage.channel.isActive == isSound && (stage.record.reads > 0) == !isSound)
        guard isSound else { return try stage.finish() }
        try stage.answer()
        let third = try stage.sent()
        #expect(third.hasPrefix("HTTP/1.1 204 ") && !third.contains("close"), "\(third)")
        try stage.finish()
    }

    @Test("SEC-12: however much follows a request to upgrade, the responses are written before the connection ends")
    func floodBehindUpgrade() throws {
        let stage = try Stage()
        let upgrade = "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
        try stage.receive(Self.request(0) + upgrade)
        #expect(stage.record.addresses == ["/0", "/1"])
        let piece = String(repeating: " ", count: 65_536)
        for _ in 0..<48 { try stage.receive(piece) }
        stage.channel.pipeline.read()
        #expect(stage.channel.isActive && stage.record.reads == 0)
        for _ in 0..<2 { try stage.answer() }
        let sent = try stage.sent()
        #expect(sent.components(separatedBy: "HTTP/1.1 204 ").count == 3, "\(sent)")
        #expect(stage.record.reads == 1)
        try stage.finish()
    }
}
