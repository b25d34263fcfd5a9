import BelfryWire
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import BelfryAPI

@Suite("Connections that misbehave")
struct RequestGuardTests {
    private static func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: RequestGuard())
        channel.connect(to: try SocketAddress(ipAddress: "203.0.113.5", port: 1), promise: nil)
        return channel
    }

    private static func head(
        _ method: HTTPRequest.Method = .post, _ fields: HTTPFields = [:]
    ) -> HTTPRequestPart {
        .head(HTTPRequest(method: method, scheme: "http", authority: "a", path: "/", headerFields: fields))
    }

    private static func outbound(_ channel: EmbeddedChannel) throws -> [HTTPResponsePart] {
        var parts: [HTTPResponsePart] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) { parts.append(part) }
        return parts
    }

    /// The library's response to an unreadable request.
    private static func answerLikeTheLibrary(_ channel: EmbeddedChannel) throws {
        let fields: HTTPFields = [.connection: "close", .contentLength: "0"]
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .badRequest, headerFields: fields)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    @Test(
        "SEC-2, WIRE-23: non-HTTP gets an error body, and the connection ends",
        arguments: [
            (HTTPParserError.headerOverflow, 431, "headersTooLarge"), (.invalidMethod, 400, "badRequest"),
            (.invalidVersion, 400, "badRequest"), (.invalidHeaderToken, 400, "badRequest"),
            (.invalidURL, 400, "badRequest"), (.unexpectedContentLength, 400, "badRequest"),
        ] as [(HTTPParserError, Int, String)]
    )
    func malformed(error: HTTPParserError, status: Int, code: String) throws {
        let channel = try Self.channel()
        channel.pipeline.fireErrorCaught(error)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        try Self.answerLikeTheLibrary(channel)
        let parts = try Self.outbound(channel)
        guard parts.count == 3, case .head(let head) = parts[0], case .body(let body) = parts[1],
            case .end = parts[2]
        else {
            Issue.record("it is no whole answer: \(parts)")
            return
        }
        #expect(head.status.code == status)
        #expect(head.headerFields[.connection] == "close")
        #expect(head.headerFields[.contentType] == "application/json")
        #expect(head.headerFields[.contentLength] == String(body.readableBytes))
        #expect(head.headerFields[.cacheControl] == "no-store")
        let error = try JSONDecoder().decode(ErrorBody.self, from: Data(body.readableBytesView)).error
        #expect(error.code == code && !error.message.isEmpty)
    }

    @Test("SEC-2: an error to which the library would not respond becomes one to which it does")
    func converted() throws {
        struct Strange: Error {}
        let channel = try Self.channel()
        channel.pipeline.fireErrorCaught(Strange())
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        let gone = try Self.channel()
        gone.pipeline.fireErrorCaught(ChannelError.ioOnClosedChannel)
        #expect(throws: ChannelError.self) { try gone.throwIfErrorCaught() }
    }

    @Test("WIRE-23: responses pass unchanged, before and beside a broken request")
    func ordinary() throws {
        let channel = try Self.channel()
        let own: [HTTPResponsePart] = [
            .head(HTTPResponse(status: .badRequest, headerFields: [.contentLength: "2"])),
            .body(ByteBuffer(string: "{}")), .end(nil),
        ]
        for part in own { try channel.writeOutbound(part) }
        #expect(try Self.outbound(channel) == own)
        // The response to an earlier request is on its way when a later one breaks.
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidURL)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        for part in own { try channel.writeOutbound(part) }
        #expect(try Self.outbound(channel) == own)
        try Self.answerLikeTheLibrary(channel)
        #expect(try Self.outbound(channel).count == 3)
    }

    @Test("SEC-2: a request that trickles in is cut off; a complete one is not, however late its response")
    func slow() throws {
        let channel = try Self.channel()
        try channel.writeInbound(Self.head())
        for _ in 0..<4 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(29))
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
        }
        try channel.throwIfErrorCaught()
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(throws: RequestTooSlow.self) { try channel.throwIfErrorCaught() }

        let whole = try Self.channel()
        try whole.writeInbound(Self.head())
        try whole.writeInbound(HTTPRequestPart.end(nil))
        whole.embeddedEventLoop.advanceTime(by: .hours(1))
        try whole.throwIfErrorCaught()
        // Each request has the whole time.
        for _ in 0..<5 {
            try whole.writeInbound(Self.head())
            whole.embeddedEventLoop.advanceTime(by: .seconds(119))
            try whole.writeInbound(HTTPRequestPart.end(nil))
        }
        try whole.throwIfErrorCaught()
    }

    @Test("SEC-2, WIRE-23: a request that breaks off in its body is the client's error, not the server's")
    func brokenOff() async throws {
        let errors = ErrorResponder(
            routes: RouteTable([]), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let request = Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"), body: RequestBody(buffer: .init())
        )
        let context = APIRequestContext(
            source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: errors.logger)
        )
        let cases: [(any Error, Int, String)] = [
            (RequestTooSlow(), 408, "requestTimeout"), (RequestCrowdedOut(), 503, "unavailable"),
            (HTTPParserError.invalidChunkSize, 400, "badRequest"),
            (ChannelError.inputClosed, 400, "badRequest"),
            (IOError(errnoCode: ECONNRESET, reason: "read"), 400, "badRequest"),
        ]
        for (error, status, code) in cases {
            let answer = try errors.response(to: error, request, context)
            #expect(answer.status.code == status)
            #expect(answer.headers[.connection] == "close")
            let body = try await answer.body.collected()
            #expect(try JSONDecoder().decode(ErrorBody.self, from: Data(body.readableBytesView)).error.code == code)
        }
        #expect(throws: CancellationError.self) { try errors.response(to: CancellationError(), request, context) }
    }
}
