import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

@testable import Belfry

/// The device of a scenario: the client over a storage that outlives it.
final class ScenarioDevice {
    let clock = ScenarioClock()
    let server: ScenarioServer
    private let directory: URL
    private let configuration: BelfryConfiguration
    private let chance: Chance
    private let shown = ShownPushes()
    private let screen = ScriptedInAppPresenter()
    private var system = SystemProperties(
        timeZone: "Europe/Paris", locale: "fr-FR", platform: "ios", osVersion: "1.0", appVersion: "1.0",
        sdkVersion: "0.1.0", deviceModel: "iPhone14,2"
    )
    private var isOnline = true
    private var life: Life?
    /// Those of ended lives and of the present one that no expectation has seen.
    private var reports: [ClientReport] = []
    private var shownBefore = 0
    private var sentinels = 0

    private struct Life {
        let client: BelfryClient
        let platform: HeadlessPlatform
        let reports: AsyncStream<ClientReport>
    }

    init(_ config: JSONValue, seed: UInt64) throws {
        server = ScenarioServer(clock: clock)
        chance = Chance(seed: seed)
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("belfry-\(UUID().uuidString)")
        guard let address = URL(string: "https://push.example.com") else { throw ScenarioError("no address") }
        var configuration = try BelfryConfiguration(appCode: "shop", serverURL: address, directory: directory)
        var fields = try Fields(config, "config")
        configuration.contactField = fields.take("contactField")?.text
        if let timeout = fields.take("sessionTimeout")?.number { configuration.sessionTimeout = timeout / 1_000 }
        if let count = fields.take("batchCount")?.number { configuration.uploads.batchCount = Int(count) }
        if let count = fields.take("queueCount")?.number { configuration.queueLimits.count = Int(count) }
        configuration.delayRegistrationUntilContactKeyIsSet =
            fields.take("delayRegistrationUntilContactKeyIsSet")?.bool ?? false
        try fields.finish()
        self.configuration = configuration
    }

    deinit {
        // A test's directory may stay behind; it is in the temporary folder.
        try? FileManager.default.removeItem(at: directory)
    }

    var client: BelfryClient {
        get throws {
            guard let life else { throw ScenarioError("the app is not launched") }
            return life.client
        }
    }

    func launch(inForeground: Bool) async throws {
        guard life == nil else { throw ScenarioError("the app is running") }
        let platform = HeadlessPlatform(
            system: system, startsInForeground: inForeground, notifications: shown, inAppPresenter: screen
        )
        var environment = DeviceEnvironment.manual(clock.device, chance)
        environment.now = { [clock] in clock.device.now }
        let client = try BelfryClient(
            configuration: configuration, platform: platform, transport: server, environment: environment
        )
        life = Life(client: client, platform: platform, reports: client.reports)
        await server.set(isAlive: true)
        if !isOnline { try await client.engine.lifecycle.becameOnline(false) }
        try await client.start()
    }

    /// Nothing is written while it ends, so it is as good as a kill.
    func kill() async throws {
        try await collectReports()
        await life?.client.stop()
        await server.set(isAlive: false)
        screen.clearScreen()
        life = nil
    }

    func set(isOnline: Bool) async throws {
        self.isOnline = isOnline
        await server.set(isOffline: !isOnline)
        try await life?.client.engine.lifecycle.becameOnline(isOnline)
    }

    func change(_ changes: JSONValue) async throws {
        var fields = try Fields(changes, "device")
        if let text = fields.take("timeZone")?.text { system.timeZone = text }
        if let text = fields.take("locale")?.text { system.locale = text }
        if let text = fields.take("appVersion")?.text { system.appVersion = text }
        if let text = fields.take("osVersion")?.text { system.osVersion = text }
        try fields.finish()
        guard let life else { return }
        life.platform.setSystem(system)
        await life.client.engine.lifecycle.readSystem()
    }
}

// Time.
extension ScenarioDevice {
    /// Returns when the client has nothing to do at present, or its request hangs.
    func settle() async {
        guard let client = life?.client, await !server.isHanging else { return }
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        await server.whenHanging { continuation.yield() }
        // While a request hangs it ends with the client.
        let idle = Task {
            await client.waitUntilIdle()
            continuation.yield()
        }
        if await server.isHanging { continuation.yield() }
        for await _ in stream { break }
        _ = idle
    }

    /// Lets time pass, stopping wherever the client wakes.
    func pass(_ milliseconds: Double) async throws {
        var left = milliseconds / 1_000
        while left > 0, let client = life?.client, await client.engine.process.isRunning {
            guard await !server.isHanging else { throw ScenarioError("time cannot pass while a request hangs") }
            // A hair later, so that no rounding keeps a due moment in the future.
            let step = min(left, max(try await nextWake(), 0) + 0.001)
            clock.device.advance(by: step)
            left -= step
            await settle()
        }
        clock.device.advance(by: max(0, left))
        await settle()
    }

    /// Seconds until the client wakes by itself.
    private func nextWake() async throws -> TimeInterval {
        while !Task.isCancelled {
            await settle()
            if let wake = clock.device.nextWake { return wake }
            // It has decided to sleep and is about to.
            await Task.yield()
        }
        throw ScenarioError("the client does not sleep")
    }
}

// What the app sees.
extension ScenarioDevice {
    /// The reports since the last call.
    func takeReports() async throws -> [ClientReport] {
        try await collectReports()
        defer { reports = [] }
        return reports
    }

    /// The stream has all earlier reports in front of one that is known.
    private func collectReports() async throws {
        guard let life else { return }
        sentinels += 1
        let sentinel = ClientReport.callFailed(BelfryError(.stopped, "sentinel \(sentinels)"))
        life.client.engine.reporter.report(sentinel)
        for await report in life.reports {
            if report == sentinel { return }
            reports.append(report)
        }
    }

    /// The campaign of the in-app message on the screen.
    var shownCampaign: String? { screen.onScreen?.message.campaignID }

    /// The person does something that takes the message off the screen.
    func press(_ command: InAppBridgeCommand) async throws {
        guard let page = screen.onScreen else { throw ScenarioError("no message is on the screen") }
        screen.send(command)
        await eventually("the message is gone") { self.screen.notes.closed.contains(page) }
    }

    /// The pushes that were shown since the last call.
    func takeShown() async -> [String] {
        let all = await shown.ids
        defer { shownBefore = all.count }
        return Array(all.dropFirst(shownBefore))
    }
}
