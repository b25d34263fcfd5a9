import ArgumentParser
import AsyncHTTPClient
import Belfry
import BelfryModel
import Foundation
import Logging
import NIOPosix
import ServiceLifecycle

struct SimulateDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Run simulated devices with the real SDK against a server.",
        discussion: """
            Their push tokens and pushes come from 'belfry simulate push-services', through its control API. They \
            register and display what arrives; some of them open it. SIGTERM and SIGINT stop them.
            """
    )

    @Option(help: "The number of devices, 1 to 5000.")
    var count = 100

    @Option(help: "The server's address.")
    var server: String

    @Option(help: "The app's code on the server.")
    var app: String

    @Option(help: "The control address of the simulated push services, such as http://127.0.0.1:8444.")
    var pushControl: String

    @Option(
        help: ArgumentHelp(
            "The push service of the devices: \(DeviceMix.allValueStrings.joined(separator: ", ")).",
            discussion: "With 'mixed', three of five devices use APNs, one uses FCM, and one is a browser."
        )
    )
    var provider = DeviceMix.apns

    @Option(help: "APNs: the topic of the push tokens, which is the app's bundle id.")
    var topic: String?

    @Option(help: "FCM: the project of the push tokens, which is 'project_id' in the service account.")
    var project: String?

    @Option(
        help: """
            Web Push: the public key that browsers subscribe with, from 'belfry app credentials webpush'. \
            (default: they subscribe without one)
            """
    )
    var applicationServerKey: String?

    @Option(
        help: ArgumentHelp(
            "A message center that the app shows. May be repeated. (default: \(MessageCenterName.primary))",
            valueName: "name"
        )
    )
    var center: [String] = []

    @Option(
        help: ArgumentHelp(
            "An event that the app tracks whenever a person looks at it. May be repeated.", valueName: "name"
        )
    )
    var event: [String] = []

    @Option(help: "The folder of the devices' storage. The same folder gives the same devices. (default: a new one)")
    var directory: String?

    @Option(help: "Seconds between two times that a person looks at the phone.")
    var glance = 5.0

    func validate() throws {
        guard (1...5_000).contains(count) else { throw ValidationError("--count must be 1 to 5000.") }
        guard (0.1...3_600).contains(glance) else { throw ValidationError("--glance must be 0.1 to 3600 seconds.") }
        guard URLText.url(server)?.host != nil else { throw ValidationError("--server is not an address.") }
        for name in center {
            do throws(ValueError) {
                _ = try MessageCenterName(name)
            } catch {
                throw ValidationError("--center \(name): \(error.message)")
            }
        }
        if provider.providers.contains(.apns), topic == nil { throw ValidationError("Devices at APNs need --topic.") }
        if provider.providers.contains(.fcm), project == nil { throw ValidationError("Devices at FCM need --project.") }
    }

    func run() async throws {
        OpenFiles.raiseLimit()
        let logger = Logger(label: "belfry.simulate", factory: { OneLineLogHandler.standardError(label: $0) })
        let group = ServiceGroup(
            services: [DevicesService(command: self)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        )
        try await group.run()
    }

    /// The push services that the devices need. `validate()` has checked that each has its own options.
    fileprivate func pushServices(_ http: HTTPClient) -> DevicePushServices {
        let control = SimulatorControl(address: pushControl, http: http, environment: .live)
        var services: DevicePushServices = [
            .webpush: RemoteWebPush(control: control, applicationServerKey: applicationServerKey)
        ]
        if let topic { services[.apns] = RemoteAPNs(control: control, topic: topic) }
        if let project { services[.fcm] = RemoteFCM(control: control, projectID: project) }
        return services
    }
}

/// Runs the fleet until the process is told to end.
private struct DevicesService: Service {
    let command: SimulateDevicesCommand

    func run() async throws {
        guard let url = URLText.url(command.server) else { return }
        let folder =
            command.directory.map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? FileManager.default.temporaryDirectory.appending(path: "belfry-devices-\(UUID().uuidString)")
        var settings = HTTPClient.Configuration()
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = command.count + 8
        let http = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
        let world = SimulatedDevice.World(
            appCode: command.app, serverURL: url, directory: folder,
            transport: HTTPTransport(serverURL: url), environment: .live,
            pushServices: command.pushServices(http),
            centers: command.center.isEmpty ? [MessageCenterName.primary.rawValue] : command.center
        )
        let fleet = Fleet(count: command.count, world: world) { index in
            // The tester decides which devices are deleted or killed, not this command.
            var behaviour = DeviceBehaviour.ofCrowd(index)
            behaviour.provider = command.provider.only ?? behaviour.provider
            behaviour.token = .valid
            behaviour.isKilled = false
            return behaviour
        }
        try await fleet.each { try await $0.launch() }
        Console.say("\(command.count) \(Fleet.runningText); their storage is in \(folder.path).")
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(command.glance))
                try await fleet.each { device in
                    for event in command.event { try await device.track(event) }
                    try await device.look()
                    await device.readNews()
                }
            }
        }
        try await fleet.each { await $0.stop() }
        try await http.shutdown()
    }
}

/// The push services from which simulated devices have their tokens.
enum DeviceMix: String, ExpressibleByArgument, CaseIterable {
    case apns
    case fcm
    case webpush
    case mixed

    /// The push service of all devices; nil: they differ.
    var only: PushProvider? {
        PushProvider(rawValue: rawValue)
    }

    var providers: [PushProvider] {
        only.map { [$0] } ?? PushProvider.allCases
    }
}
