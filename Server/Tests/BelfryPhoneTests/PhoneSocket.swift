import Foundation
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import BelfryPhone

/// Phones that listen, as those of the program do, and pages that watch them by a socket of their own.
struct PhoneSocket: Sendable {
    let port: Int
    let rack: PhoneRack

    /// Serves on a port that the system chooses until the test is over.
    static func serve(_ world: PhoneWorld, _ test: (PhoneSocket) async throws -> Void) async throws {
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = PhoneServer(world: world, port: 0, beside: nil, logger: logger) { running.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { running.finish() }
                try await group.run()
            }
            let outcome: Result<Void, any Error>
            do {
                let port = try #require(await ports.first { _ in true }, "the phones ended before they listened")
                outcome = .success(try await test(PhoneSocket(port: port, rack: server.rack)))
            } catch {
                outcome = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try outcome.get()
        }
    }

    func phone(_ number: Int) async throws -> Phone {
        try #require(await rack.phone(number))
    }

    /// How a page goes.
    enum Close: CaseIterable, Sendable {
        /// The browser has read everything.
        case finished
        /// The browser is gone with bytes that it has not read.
        case reset
        /// The browser says that it sends nothing more, and still takes what comes.
        case half
    }

    /// Opens the page of a phone and closes it once `isEnough` of what has come.
    ///
    /// - Parameters:
    ///   - watching: is told once enough has come, before the page goes.
    /// - Returns: what has come until then, with the head of the response.
    @discardableResult
    func watch(
        _ number: Int, closing close: Close = .finished, until isEnough: (String) -> Bool,
        watching: () async throws -> Void = {}
    ) async throws -> String {
        let channel = try await connect()
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(Self.request(number))
            var incoming = inbound.makeAsyncIterator()
            var text = ""
            while let bytes = try await incoming.next() {
                text += String(buffer: bytes)
                if isEnough(text) { break }
            }
            try await watching()
            switch close {
            case .finished: break
            case .reset:
                let options = try #require(channel.channel as? any SocketOptionProvider)
                try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            case .half:
                outbound.finish()
                // The server ends the response, since nobody waits for it any more.
                while try await incoming.next() != nil {}
            }
            return text
        }
    }

    /// Opens the page of a phone, and reads none of what comes.
    func watchWithoutReading(_ number: Int, _ body: () async throws -> Void) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 2_048)
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.writeAndFlush(Self.request(number)).get()
        try await body()
        try await channel.close().get()
    }

    private func connect() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
    }

    private static func request(_ number: Int) -> ByteBuffer {
        ByteBuffer(string: "GET /phone/\(number)/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    }
}
