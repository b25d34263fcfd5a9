import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import BelfryAPI

/// SEC-12, SEC-9: which request of a connection gives way, moment by moment. All that touches an embedded channel stays
/// on one thread, so in functions that wait for nothing.
@Suite("Requests that are crowded out")
struct CrowdedOutTests {
    private static let body = HTTPRequestPart.body(ByteBuffer(string: "x"))

    private static func head(_ method: HTTPRequest.Method = .post) -> HTTPRequestPart {
        .head(HTTPRequest(method: method, scheme: "http", authority: "a", path: "/"))
    }

    private static func channel(_ rules: ConnectionRules) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: RequestGuard(rules: rules))
        channel.connect(to: try SocketAddress(ipAddress: "203.0.113.5", port: 1), promise: nil)
        return channel
    }

    private static func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .noContent)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private static func run(_ test: @escaping @Sendable (ConnectionRules) throws -> Void) async throws {
        var settings = ConnectionRules.Settings()
        settings.bodyMemory = ConnectionRules.Settings.minimumBodyMemory
        try await TestServer.run(connections: settings) { server in try test(server.rules) }
    }

    /// Others take so much that the connection without progress for the longest time has to end.
    private static func crowd(_ rules: ConnectionRules) {
        for _ in 0..<4 {
            let id = rules.bodies.begin { _ in }
            rules.bodies.hold(id, bytes: 1_048_576, isKnown: false)
        }
    }

    @Test("SEC-12: complete requests get their responses when the one after them has to end")
    func behindOthers() async throws {
        try await Self.run { rules in
            let channel = try Self.channel(rules)
            for part in [Self.head(), HTTPRequestPart.end(nil), Self.head(), Self.body] {
                try channel.writeInbound(part)
            }
            Self.crowd(rules)
            channel.embeddedEventLoop.run()
            #expect(throws: RequestCrowdedOut.self) { try channel.throwIfErrorCaught() }
            channel.embeddedEventLoop.advanceTime(by: .seconds(4))
            #expect(channel.isActive)
            try Self.answer(channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(4))
            #expect(channel.isActive, "it is its turn, and it will be told")
            try Self.answer(channel)
            var count = 0
            while try channel.readOutbound(as: HTTPResponsePart.self) != nil { count += 1 }
            #expect(count == 4)
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test("SEC-12: an ended request releases its memory at once, whatever comes after it")
    func behindSlowOnes() async throws {
        try await Self.run { rules in
            let channel = try Self.channel(rules)
            for part in [Self.head(), HTTPRequestPart.end(nil), Self.head(), Self.body] {
                try channel.writeInbound(part)
            }
            Self.crowd(rules)
            channel.embeddedEventLoop.run()
            #expect(throws: RequestCrowdedOut.self) { try channel.throwIfErrorCaught() }
            try channel.writeInbound(Self.body)
            channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
            #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
            #expect(channel.isActive)
            channel.embeddedEventLoop.advanceTime(by: RequestGuard.crowdedPatience)
            #expect(!channel.isActive)
        }
    }

    @Test("SEC-12: a request that has become complete meanwhile ends no other of its connection")
    func another() async throws {
        try await Self.run { rules in
            let channel = try Self.channel(rules)
            for part in [Self.head(), Self.body] { try channel.writeInbound(part) }
            Self.crowd(rules)
            // It was picked; before its loop hears of it, it is whole, and the next one has begun.
            for part in [HTTPRequestPart.end(nil), Self.head(), Self.body] { try channel.writeInbound(part) }
            channel.embeddedEventLoop.run()
            try channel.throwIfErrorCaught()
            try channel.writeInbound(HTTPRequestPart.end(nil))
            #expect(channel.isActive)
            var count = 0
            while try channel.readInbound(as: HTTPRequestPart.self) != nil { count += 1 }
            #expect(count == 6)
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test("SEC-9: a connection is busy while a complete request waits, but not for an incomplete one")
    func busy() throws {
        let channel = EmbeddedChannel()
        channel.connect(to: try SocketAddress(ipAddress: "203.0.113.5", port: 1), promise: nil)
        let connection = OpenConnection(id: 1, channel: channel)
        try channel.pipeline.syncOperations.addHandler(RequestGuard(connection: connection))
        // One piece: a whole request, and the beginning of the next.
        for part in [Self.head(.get), HTTPRequestPart.end(nil), Self.head(), Self.body] {
            channel.pipeline.fireChannelRead(part)
        }
        channel.pipeline.fireChannelReadComplete()
        #expect(connection.idleSince == nil)
        try Self.answer(channel)
        #expect(connection.idleSince != nil, "the rest may never come")
        try channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(connection.idleSince == nil)
        try Self.answer(channel)
        #expect(connection.idleSince != nil)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
