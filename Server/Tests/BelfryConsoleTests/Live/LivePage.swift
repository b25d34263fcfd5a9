import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BelfryConsole

/// A live page of a console that listens, by a connection of its own.
enum LivePage {
    /// How it goes.
    enum Close: CaseIterable, Sendable {
        /// The browser has read everything.
        case finished
        /// The browser is gone with bytes that it has not read.
        case reset
        /// The browser says that it sends nothing more, and still takes what comes.
        case half
        /// The server ends the response.
        case byServer
    }

    /// Opens a live address and closes it once enough has come.
    ///
    /// - Parameter watching: is told once enough has come, before the page goes.
    /// - Returns: what has come, with the head of the response.
    static func watch(
        _ path: String, of console: TestConsole, as browser: Browser, closing close: Close,
        until isEnough: (String) -> Bool, watching: () async throws -> Void = {}
    ) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "localhost", port: try #require(console.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let cookie = browser.cookieHeader ?? ""
            try await outbound.write(
                ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)\r\n\r\n")
            )
            var incoming = inbound.makeAsyncIterator()
            var (text, hasEnough) = ("", false)
            while let bytes = try await incoming.next() {
                text += String(buffer: bytes)
                guard !hasEnough, isEnough(text) else { continue }
                hasEnough = true
                try await watching()
                if close != .byServer { break }
            }
            switch close {
            case .finished, .byServer: break
            case .reset:
                let options = try #require(channel.channel as? any SocketOptionProvider)
                try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            case .half:
                outbound.finish()
                while try await incoming.next() != nil {}
            }
            return text
        }
    }
}
