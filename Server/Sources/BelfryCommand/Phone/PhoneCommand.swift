import ArgumentParser
import Belfry
import BelfryModel
import BelfryPhone
import Foundation
import Logging
import ServiceLifecycle

struct PhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone",
        abstract: "Show a phone with a sample app and the real SDK in a browser.",
        discussion: """
            The phone is a page on this machine. Its app talks to the server of --server like any other app, so you can \
            look at a staging system with it. Pushes reach it through simulated push services: start \
            'belfry simulate push-services', give their control address with --push-control, and the app credentials \
            for them. Without --push-control the app gets no push token; everything else works. The phone's data is \
            kept in --directory, or removed when the command ends.
            """
    )

    @Option(help: "The server's address.")
    var server: String

    @Option(help: "The app's code.")
    var app: String

    @Option(help: "The address of the simulators' control API, such as http://127.0.0.1:8444.")
    var pushControl: String?

    @Option(help: "The topic (bundle id) of the app at the simulated APNs.")
    var topic = DemoCredentials.topic

    @Option(help: "The port of the page; 0 picks a free one.")
    var port = 0

    @Option(help: "Where the phones keep their data. Default: a new folder, removed at the end.")
    var directory: String?

    func validate() throws {
        guard URLText.url(server) != nil else {
            throw ValidationError("--server must be an address, such as https://push.example.com.")
        }
        guard (try? AppCode(app)) != nil else { throw ValidationError("--app must be an app's code.") }
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535.") }
    }

    func run() async throws {
        guard let url = URLText.url(server) else { throw ValidationError("--server is not an address.") }
        var logger = Logger(label: "belfry.phone", factory: { OneLineLogHandler.standardError(label: $0) })
        logger.logLevel = .warning
        let folder = directory.map { URL(filePath: $0) } ?? Self.newFolder
        defer { if directory == nil { try? FileManager.default.removeItem(at: folder) } }
        let http = PhoneAPNs.http()
        let service: any PhonePushService =
            pushControl.map {
                PhoneAPNs(control: SimulatorControl(address: $0, http: http, environment: .live), topic: topic)
            } ?? NoPushService()
        let world = PhoneWorld(
            appCode: app, serverURL: url, directory: folder, transport: HTTPTransport(serverURL: url),
            pushService: service, environment: .live
        )
        let phones = PhoneServer(world: world, port: port, beside: nil, logger: logger) { port in
            Console.say("phone: http://127.0.0.1:\(port)/phone")
        }
        let outcome: Result<Void, any Error>
        do {
            let group = ServiceGroup(
                services: [phones], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
            )
            outcome = .success(try await group.run())
        } catch {
            outcome = .failure(error)
        }
        try await http.shutdown()
        try outcome.get()
    }

    private static var newFolder: URL {
        FileManager.default.temporaryDirectory
            .appending(
                path: "belfry-phone-\(ProcessInfo.processInfo.processIdentifier)", directoryHint: .isDirectory)
    }
}
