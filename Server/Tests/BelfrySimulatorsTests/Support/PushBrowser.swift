import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Testing

/// A browser as it speaks Mozilla's push protocol, written from what Firefox sends. It shares no code with the
/// simulator.
struct PushBrowser {
    private var inbound: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    /// The subprotocol that the service took.
    let subprotocol: String?

    /// Connects, runs the story, and goes without a word.
    ///
    /// - Parameter fields: headers besides, or instead.
    static func connect(
        to port: Int, fields: [String: String] = [:], _ story: (inout PushBrowser) async throws -> Void
    ) async throws {
        let upgrade: EventLoopFuture<Connection?> = try await ClientBootstrap(
            group: MultiThreadedEventLoopGroup.singleton
        )
        .connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture { try configure(channel, fields) }
        }
        let connection = try #require(try await upgrade.get())
        try await connection.channel.executeThenClose { inbound, outbound in
            var browser = PushBrowser(
                inbound: inbound.makeAsyncIterator(), outbound: outbound, subprotocol: connection.subprotocol)
            try await story(&browser)
        }
    }

    private struct Connection {
        let channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
        let subprotocol: String?
    }

    private static func configure(
        _ channel: any Channel, _ fields: [String: String]
    ) throws -> EventLoopFuture<Connection?> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Connection?> { channel, head in
            channel.eventLoop.makeCompletedFuture {
                Connection(
                    channel: try NIOAsyncChannel(wrappingChannelSynchronously: channel),
                    subprotocol: head.headers.first(name: "sec-websocket-protocol")
                )
            }
        }
        var headers: HTTPHeaders = [
            "host": "127.0.0.1", "content-length": "0", "sec-websocket-protocol": "push-notification",
        ]
        for (name, value) in fields { headers.replaceOrAdd(name: name, value: value) }
        let request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers)
        let configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: request, upgraders: [upgrader],
                notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(nil) }
            )
        )
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
    }

    func say(_ text: String) async throws {
        try await write(.text, ByteBuffer(string: text))
    }

    func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) async throws {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        try await outbound.write(frame)
    }

    /// The next message; nil at the end of the connection.
    mutating func hear() async throws -> Message? {
        while let frame = try await inbound.next() {
            switch frame.opcode {
            case .text: return try JSONDecoder().decode(Message.self, from: Data(frame.data.readableBytesView))
            case .connectionClose: return nil
            default: continue
            }
        }
        return nil
    }

    /// Says hello and gives the name that the service gives it.
    mutating func hello(as name: String? = nil) async throws -> String {
        let uaid = name.map { #","uaid":"\#($0)""# } ?? ""
        try await say(#"{"messageType":"hello","broadcasts":{},"use_webpush":true\#(uaid)}"#)
        let answer = try #require(try await hear())
        #expect(answer.messageType == "hello" && answer.status == 200 && answer.use_webpush == true)
        return try #require(answer.uaid)
    }

    /// Subscribes and gives the endpoint.
    mutating func register(_ channel: String, key: String?) async throws -> Message {
        let key = key.map { #","key":"\#($0)""# } ?? ""
        try await say(#"{"messageType":"register","channelID":"\#(channel)"\#(key)}"#)
        let answer = try #require(try await hear())
        #expect(answer.messageType == "register" && answer.channelID == channel)
        return answer
    }

    func acknowledge(_ message: Message, code: Int = 100) async throws {
        let (channel, version) = (message.channelID ?? "", message.version ?? "")
        try await say(
            #"{"messageType":"ack","updates":[{"channelID":"\#(channel)","version":"\#(version)","code":\#(code)}]}"#)
    }

    /// A message of the service; in `{}` there is nothing.
    struct Message: Decodable, Equatable {
        var messageType: String?
        var uaid: String?
        var status: Int?
        var use_webpush: Bool?
        var channelID: String?
        var pushEndpoint: String?
        var version: String?
        var data: String?
        var headers: [String: String]?
    }
}
