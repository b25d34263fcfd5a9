import AsyncHTTPClient
import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Logging
import NIOPosix
import Testing

@Suite("Simulators in one process")
struct SharedCertificatesTests {
    @Test("CLI-3: trust in one authority reaches all three services")
    func oneAuthority() async throws {
        let clock = ManualClock(Date())
        let certificates = try SimulatorCertificates(names: ["127.0.0.1"], now: clock.now)
        let group = MultiThreadedEventLoopGroup.singleton
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let random = SimulatorRandom(seed: 1)
        let apns = try APNsSimulator(
            certificates: certificates, eventLoopGroup: group, random: random, clock: { clock.now }, logger: logger
        )
        let fcm = try FCMSimulator(
            certificates: certificates, eventLoopGroup: group, random: random, clock: { clock.now }, logger: logger
        )
        let webPush = try WebPushSimulator(
            certificates: certificates, eventLoopGroup: group, random: random, clock: { clock.now }, logger: logger
        )
        let urls = [
            try await apns.start().url(of: .production), try await fcm.start().url, try await webPush.start().origin,
        ]
        let client = try HTTPClient.trusting(certificates.rootPEM)
        var statuses: [Int] = []
        for url in urls {
            let response = try? await client.call("POST", url + "/nothing")
            statuses.append(response?.status ?? 0)
        }
        #expect(statuses == [404, 404, 404])
        try await client.shutdown()
        await apns.shutdown()
        await fcm.shutdown()
        await webPush.shutdown()
    }
}
