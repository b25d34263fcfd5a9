import AsyncHTTPClient
import Belfry
import BelfryModel
import Foundation
import NIOPosix

/// The surroundings of the demonstration's devices, in its own process and in others. Tokens and pushes come from the
/// simulators' control API.
struct DemoWorld: Sendable {
    let server: URL
    /// The address of the simulators' control API.
    let pushControl: String
    let applicationServerKey: String
    let directory: URL

    /// The surroundings of devices in this process.
    func devices(_ http: HTTPClient) -> SimulatedDevice.World {
        Self.make(
            server: server, control: SimulatorControl(address: pushControl, http: http, environment: .live),
            applicationServerKey: applicationServerKey, directory: directory
        )
    }

    /// The command-line arguments of a process that runs some of the devices.
    func arguments(devices: [Int]) -> [String] {
        [
            "demo-phones", "--server", server.absoluteString, "--push-control", pushControl,
            "--application-server-key", applicationServerKey, "--directory", directory.path,
        ] + devices.flatMap { ["--device", "\($0)"] }
    }

    static func make(
        server: URL, control: SimulatorControl, applicationServerKey: String, directory: URL,
        transport: (any Transport)? = nil
    ) -> SimulatedDevice.World {
        SimulatedDevice.World(
            appCode: DemoApp.code, serverURL: server, directory: directory,
            transport: transport ?? HTTPTransport(serverURL: server), environment: .live,
            pushServices: [
                .apns: RemoteAPNs(control: control, topic: DemoCredentials.topic),
                .fcm: RemoteFCM(control: control, projectID: DemoCredentials.projectID),
                .webpush: RemoteWebPush(control: control, applicationServerKey: applicationServerKey),
            ],
            centers: DemoApp.centers, pace: DemoApp.pace
        )
    }

    /// An HTTP client with room for one long poll per device.
    static func http(devices: Int) -> HTTPClient {
        var settings = HTTPClient.Configuration()
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = devices + 8
        return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
    }
}
