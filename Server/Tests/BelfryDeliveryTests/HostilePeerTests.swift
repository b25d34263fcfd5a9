import BelfryPush
import BelfryServerTestSupport
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import BelfryDelivery

/// Whoever runs a host that a subscription names is a peer, and may send what no push service would.
@Suite("Hostile push services", .timeLimit(.minutes(10)))
struct HostilePeerTests {
    private static let streamLimit = 4

    private static func batch() -> PushBatch {
        PushBatch(requests: [.numbered(0)], deadline: nil) { _, _ in }
    }

    /// A session whose peer has sent its settings and acknowledges none of ours; so many requests are with it.
    private static func session(requests: Int) throws -> HTTP2Session {
        let session = try #require(HTTP2Session(authority: "push.example.com", streamLimit: streamLimit))
        #expect(feed(RawFrame.settings, to: session) == nil)
        let batch = batch()
        for _ in 0..<requests { #expect(session.submit(batch, index: 0, deadline: .distantFuture)) }
        drain(session)
        return session
    }

    private static func feed(_ bytes: [UInt8], to session: HTTP2Session) -> TransportFailure? {
        bytes.withUnsafeBytes { session.receive($0) }
    }

    /// The peer takes all that waits for it.
    private static func drain(_ session: HTTP2Session) {
        var buffer = ByteBuffer()
        _ = session.pull(into: &buffer, limit: .max)
    }

    /// The result of a request to a service that replies so.
    private static func send(reply: [UInt8]) async throws -> PushResult? {
        let certificate = try TestCertificate.good()
        let server = try await RawPeer.start(certificate: certificate, reply: reply)
        let port = try #require(server.localAddress?.port)
        let pool = try makePool(port: port, trust: .roots([certificate.pem]))
        let result = await pool.send([PushRequest.numbered(0)]).first
        await pool.shutdown()
        try await server.close().get()
        return result
    }

    @Test("SEC-5, SEC-12: the first promise of a push ends the session of a peer that never acknowledged our settings")
    func promises() throws {
        let session = try Self.session(requests: 1)
        let promises = (1...5_000).flatMap { RawFrame.pushPromise(UInt32(2 * $0), on: 1) }
        #expect(Self.feed(promises, to: session) == .protocolBroken)
        #expect(session.queuedFrames <= 1, "no promise was answered")
    }

    @Test("SEC-5, SEC-12: a push service that promises pushes loses its connection, and the reason says so")
    func promisesOverTLS() async throws {
        let promises = (1...5_000).flatMap { RawFrame.pushPromise(UInt32(2 * $0), on: 1) }
        let result = try await Self.send(reply: promises + RawFrame.ok(on: 1))
        #expect(result?.unanswered == "the server broke the HTTP/2 protocol")
        // The same peer without its promises.
        #expect(try await Self.send(reply: RawFrame.ok(on: 1))?.response?.status == 200)
    }

    @Test("SEC-12: a session ends when more frames wait for its peer than streams and acknowledgements explain")
    func queue() throws {
        let session = try Self.session(requests: 0)
        let limit = 2 * Self.streamLimit + 1_024
        let batch = Self.batch()
        for _ in 0..<limit { #expect(session.submit(batch, index: 0, deadline: .distantFuture)) }
        #expect(session.queuedFrames == limit)
        #expect(Self.feed(RawFrame.windowUpdate, to: session) == nil)
        #expect(session.submit(batch, index: 0, deadline: .distantFuture))
        #expect(Self.feed(RawFrame.windowUpdate, to: session) == .protocolBroken)
    }

    /// What a peer may send without end and without breaking HTTP/2.
    enum Flood: CaseIterable, CustomTestStringConvertible {
        case unknownFrames, bodyOfResetStream, endlessBody, singleBytes

        /// Once, before the rest.
        var beginning: [UInt8] {
            switch self {
            case .unknownFrames: []
            // The head of a frame; its payload follows.
            case .singleBytes: Array(RawFrame.frame(type: 0xfa, payload: [UInt8](repeating: 0, count: 8_192)).prefix(9))
            case .bodyOfResetStream: RawFrame.reset(1)
            case .endlessBody: RawFrame.ok(on: 1, isWhole: false)
            }
        }

        /// What a read brings.
        var piece: [UInt8] {
            switch self {
            case .unknownFrames: RawFrame.frame(type: 0xfa, payload: [UInt8](repeating: 0, count: 8_192))
            case .bodyOfResetStream, .endlessBody: RawFrame.data(8_192, on: 1)
            case .singleBytes: [0]
            }
        }

        /// Reads that the limits pay for: 1 MiB, and 64 KiB for the one request.
        var most: Int {
            let bytes = 1_024 * 1_024 + 64 * 1_024
            return self == .singleBytes ? bytes / 1_024 : bytes / piece.count
        }

        var testDescription: String {
            switch self {
            case .unknownFrames: "frames of an unknown type"
            case .bodyOfResetStream: "the body of a stream that was reset"
            case .endlessBody: "a body that never ends"
            case .singleBytes: "bytes one by one"
            }
        }
    }

    @Test("SEC-5, SEC-12: what a peer may send beside its responses is bounded", arguments: Flood.allCases)
    func flood(flood: Flood) throws {
        let session = try Self.session(requests: 1)
        if !flood.beginning.isEmpty { #expect(Self.feed(flood.beginning, to: session) == nil) }
        let (piece, most) = (flood.piece, flood.most)
        var reads = 0
        var failure: TransportFailure?
        while failure == nil, reads <= 2 * most {
            failure = Self.feed(piece, to: session)
            Self.drain(session)
            reads += 1
        }
        #expect(failure == .flooded)
        #expect(reads > most - 4 && reads <= most + 1, "after \(reads) reads of \(most)")
    }

    @Test("SEC-12: long responses to many requests are no flood, nor is what a peer says unasked over days")
    func noFlood() throws {
        let session = try Self.session(requests: 0)
        let batch = Self.batch()
        for number in 0..<UInt32(300) {
            #expect(session.submit(batch, index: 0, deadline: .distantFuture))
            Self.drain(session)
            let stream = 2 * number + 1
            let body = RawFrame.data(15_000, on: stream) + RawFrame.data(15_000, on: stream)
            let last = RawFrame.data(15_000, on: stream, isLast: true)
            let response = RawFrame.ok(on: stream, isWhole: false) + body + last
            #expect(Self.feed(response, to: session) == nil)
        }
        // 13 MB have come, many times what is free. A day of a service that speaks now and then:
        for _ in 0..<2_880 {
            session.allowMore()
            for _ in 0..<10 { #expect(Self.feed(RawFrame.windowUpdate, to: session) == nil) }
            Self.drain(session)
        }
        var ended: [EndedRequest] = []
        session.takeEnded(into: &ended)
        #expect(ended.count == 300)
    }

    @Test("SEC-5, SEC-12: a push service that sends without end loses its connection, and the reason says so")
    func floodOverTLS() async throws {
        let junk = RawFrame.frame(type: 0xfa, payload: [UInt8](repeating: 0, count: 8_192))
        let flood = (0..<400).flatMap { _ in junk }
        let result = try await Self.send(reply: flood + RawFrame.ok(on: 1))
        #expect(result?.unanswered == "the server sent much more than its responses")
    }

    /// Counts what the channel is asked to read.
    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private(set) var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    @Test("SEC-12: a peer that does not read is not read either, until it does or its connection ends")
    func backPressure() throws {
        for isEnded in [false, true] {
            let channel = EmbeddedChannel()
            let dispatcher = Dispatcher(
                endpoint: try PushEndpoint("https://push.example.com"), tls: try DeliveryTrust.insecure.makeContext(),
                settings: .quick, lookups: .singleton, eventLoop: channel.embeddedEventLoop, jitter: { 0.5 },
                logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
            )
            let counter = ReadCounter()
            let connection = PushConnection(dispatcher: dispatcher)
            try channel.pipeline.syncOperations.addHandlers([counter, connection])
            channel.pipeline.read()
            #expect(counter.count == 1)
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
            channel.pipeline.read()
            #expect(counter.count == 1, "what comes in may ask for an answer")
            if isEnded {
                connection.end(.pingTimeout)
            } else {
                channel.isWritable = true
                channel.pipeline.fireChannelWritabilityChanged()
            }
            #expect(counter.count == 2, "the read that was held")
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }
}
