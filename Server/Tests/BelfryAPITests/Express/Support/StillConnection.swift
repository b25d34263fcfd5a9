import BelfryServices
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded

@testable import BelfryAPI

/// The program's own pipeline on a connection without a socket, whose time stands still and whose writes wait when a
/// test says so. In the place of the router stands one who says which requests came to it.
struct StillConnection: Sendable {
    /// The responses of the stand-in for the router.
    static let routed = 418

    let channel: NIOAsyncTestingChannel
    let database: HeldDatabase
    let services: APIServices
    private let responses = ResponseQueue()

    /// - Parameters:
    ///   - idleTimeout: how long the connection may be silent, by the real clock.
    ///   - rates: nil: nobody counts its calls.
    static func run(
        on server: TestServer, idleTimeout: Duration = .seconds(600), rates: RequestRates? = nil,
        _ test: (StillConnection) async throws -> Void
    ) async throws {
        let database = HeldDatabase(server.database)
        let services = services(of: server, on: database, rates)
        // The lane takes calls of apps that were seen a moment ago.
        _ = try await services.apps.find("shop")
        var settings = ServerWay.settings
        settings.idleTimeout = idleTimeout
        let logger = Logger(label: "belfry.test") { _ in SwiftLogNoOpLogHandler() }
        let express = ExpressChannel(
            responder: respond, lane: ExpressLane(services: services), settings: settings,
            rules: ConnectionRules(.init(), services: services, proxies: .none, logger: logger)
        )
        let channel = NIOAsyncTestingChannel()
        let value = try await channel.testingEventLoop.executeInContext {
            express.setup(channel: channel, logger: logger)
        }
        .get()
        async let handling: Void = express.handle(value: value, logger: logger)
        let outcome = await Self.outcome(of: test, StillConnection(channel, database, services))
        try await database.letGo()
        _ = try? await channel.finish(acceptAlreadyClosed: true)
        await handling
        try outcome.get()
    }

    private init(_ channel: NIOAsyncTestingChannel, _ database: HeldDatabase, _ services: APIServices) {
        self.channel = channel
        self.database = database
        self.services = services
    }

    private static func services(
        of server: TestServer, on database: HeldDatabase, _ rates: RequestRates?
    ) -> APIServices {
        let environment = TestServer.environment(server.clock)
        let metrics = Metrics()
        let limits = RequestLimits(rates: rates, proxies: .none, now: environment.now, metrics: metrics)
        return TestServer.services(
            database, environment, metrics, limits, storage: server.services.storage, signals: ServiceSignals())
    }

    private static func outcome(
        of test: (StillConnection) async throws -> Void, _ connection: StillConnection
    ) async -> Result<Void, any Error> {
        do {
            try await connection.channel.connect(to: SocketAddress(ipAddress: "203.0.113.5", port: 1)).get()
            return .success(try await test(connection))
        } catch {
            return .failure(error)
        }
    }

    /// Reads the whole body, as the router does.
    @Sendable private static func respond(
        _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        var length = 0
        var status = routed
        do {
            for try await piece in request.body { length += piece.readableBytes }
        } catch is RequestTooSlow {
            status = 408
        }
        let body = ByteBuffer(string: "\(request.uri.path) \(length)")
        let head = HTTPResponse(
            status: .init(code: status), headerFields: [.contentLength: String(body.readableBytes)])
        try await writer.write(response: head, body: ResponseBody(byteBuffer: body))
    }
}

extension StillConnection {
    var isOpen: Bool {
        get async {
            await channel.testingEventLoop.run()
            return channel.isActive
        }
    }

    /// Bytes arrive.
    func receive(_ bytes: [UInt8]) async throws {
        try await channel.testingEventLoop.executeInContext {
            channel.pipeline.fireChannelRead(ByteBuffer(bytes: bytes))
            channel.pipeline.fireChannelReadComplete()
        }
        await channel.testingEventLoop.run()
    }

    func fire(_ event: some Sendable) async throws {
        try await channel.testingEventLoop.executeInContext { channel.pipeline.fireUserInboundEventTriggered(event) }
        await channel.testingEventLoop.run()
    }

    /// Every task that was planned before this moment runs.
    func passTime(_ amount: TimeAmount) async {
        await channel.testingEventLoop.advanceTime(by: amount)
    }

    /// What was written so far and was not read yet; it does not wait.
    func written() async throws -> [WireResponse] {
        await channel.testingEventLoop.run()
        while let data = try await channel.readOutbound(as: IOData.self) { responses.add(data) }
        return responses.takeAll()
    }

    /// The next response, which is on its way.
    func next() async throws -> WireResponse {
        while true {
            if let answer = responses.take() { return answer }
            responses.add(try await channel.waitForOutboundWrite(as: IOData.self))
        }
    }
}
