import BelfrySimulators
import Foundation
import Logging
import NIOPosix
import ServiceLifecycle

/// The simulated push services of one run. Clients trust one certificate authority for all of them.
package struct SimulatedPushServices: Sendable {
    /// Where the simulators listen and how they behave.
    package struct Settings: Sendable {
        var host = "127.0.0.1"
        /// The host in the URLs that the simulators return; nil: `host`.
        var publicHost: String?
        /// Further host names in their certificate.
        var serverNames: [String] = []
        /// The port; 0, here and below, means any free port.
        var apnsPort = 0
        var sandboxPort = 0
        var fcmPort = 0
        var webPushPort = 0
        /// The port of the push service for real browsers; nil: none.
        var browserPort: Int?
        /// The seed of the random ids, tokens and browser keys.
        var seed: UInt64
        package var faults = FaultPlan.none

        package init(seed: UInt64) {
            self.seed = seed
        }
    }

    struct Addresses: Sendable {
        let apns: APNsSimulator.Addresses
        let fcm: FCMSimulator.Addresses
        let webPush: WebPushSimulator.Addresses
    }

    package let apns: APNsSimulator
    package let fcm: FCMSimulator
    package let webPush: WebPushSimulator
    let addresses: Addresses

    /// The certificate authority of all simulators, in PEM.
    var trustRootPEM: String { apns.trustRootPEM }

    /// The services to run beside the code that uses them.
    package var services: [any Service] { [apns, fcm, webPush] }

    /// Starts all simulators.
    package static func start(
        _ settings: Settings, clock: @escaping @Sendable () -> Date, logger: Logger
    ) async throws -> SimulatedPushServices {
        let names = ["localhost", "127.0.0.1", "::1", settings.host, settings.publicHost ?? settings.host]
        let certificates = try SimulatorCertificates(names: names + settings.serverNames, now: clock())
        let group = MultiThreadedEventLoopGroup.singleton
        // Each simulator has its own random sequence, so that no two of them issue similar tokens.
        let apns = try APNsSimulator(
            configuration: settings.apns, certificates: certificates, eventLoopGroup: group,
            random: SimulatorRandom(seed: settings.seed), clock: clock, logger: logger
        )
        let fcm = try FCMSimulator(
            configuration: settings.fcm, certificates: certificates, eventLoopGroup: group,
            random: SimulatorRandom(seed: settings.seed ^ 0x66_63_6d), clock: clock, logger: logger
        )
        let webPush = try WebPushSimulator(
            configuration: settings.webPush, certificates: certificates, eventLoopGroup: group,
            random: SimulatorRandom(seed: settings.seed ^ 0x77_65_62), clock: clock, logger: logger
        )
        let addresses = Addresses(
            apns: try await apns.start(), fcm: try await fcm.start(), webPush: try await webPush.start()
        )
        return SimulatedPushServices(apns: apns, fcm: fcm, webPush: webPush, addresses: addresses)
    }
}

extension SimulatedPushServices.Settings {
    fileprivate var apns: APNsSimulator.Configuration {
        var configuration = APNsSimulator.Configuration()
        configuration.host = host
        configuration.productionPort = apnsPort
        configuration.sandboxPort = sandboxPort
        configuration.faults = faults
        return configuration
    }

    fileprivate var fcm: FCMSimulator.Configuration {
        var configuration = FCMSimulator.Configuration()
        configuration.host = host
        configuration.publicHost = publicHost
        configuration.port = fcmPort
        configuration.faults = faults
        return configuration
    }

    fileprivate var webPush: WebPushSimulator.Configuration {
        var configuration = WebPushSimulator.Configuration()
        configuration.host = host
        configuration.publicHost = publicHost
        configuration.port = webPushPort
        configuration.browserPort = browserPort
        configuration.faults = faults
        return configuration
    }
}
