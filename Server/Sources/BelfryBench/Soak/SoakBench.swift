import ArgumentParser
import Belfry
import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfrySimulators
import Foundation
import Logging
import ServiceLifecycle

/// Runs `belfry bench soak`: mixed load on a server of its own, with samples of its cost.
struct SoakBench: Service {
    /// The maximum number of concurrent calls. Further ones wait, so that a server that does not answer does not fill
    /// the memory.
    private static let mostCallsAtOnce = 256
    /// The maximum number of checks whether the last campaigns have ended.
    private static let attempts = 60

    let plan: SoakPlan
    let chart: URL?
    let json: Bool

    func run() async throws {
        var logger = Logger(label: "belfry.bench", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .error
        let seed = UInt64.random(in: .min ... .max)
        var settings = SimulatedPushServices.Settings(seed: seed)
        settings.faults = try SoakPlan.faults(seed: seed)
        let simulators = try await SimulatedPushServices.start(settings, clock: { Date() }, logger: logger)
        // The rate limits are on, as in production: many devices call, none of them often.
        let options = ["--allow-private-endpoints"]
        let report = try await BenchServer.run(options: options) { server in
            try await BenchHTTP.run { http in try await soak(server, simulators, http, seed: seed) }
        }
        await simulators.apns.shutdown()
        await simulators.fcm.shutdown()
        await simulators.webPush.shutdown()
        Console.say(json ? try report.jsonLine() : report.table)
        if !report.isMet { throw ExitCode.failure }
    }

    private func soak(
        _ server: BenchServer, _ simulators: SimulatedPushServices, _ http: BenchHTTP, seed: UInt64
    ) async throws -> SoakReport {
        let credentials = try DemoCredentials(for: simulators)
        let app = try await prepare(server, credentials, http)
        let calls = SoakCalls()
        let devices = SoakDevices(
            app: app, apns: simulators.apns, topic: DemoCredentials.topic, calls: calls, seed: seed
        )
        let campaigns = SoakCampaigns(admin: server.admin, app: app.code)
        try await devices.arrive(plan.devices)
        let phones = SoakPhones(count: plan.phones, server: server, simulators: simulators, credentials: credentials)
        let (samples, unsettled) = try await phones.run {
            let samples = try await load(server, devices, campaigns, calls)
            // Before anything else can fail: an hour is not had again cheaply.
            if let chart { try Data(SoakChart(samples).svg.utf8).write(to: chart) }
            return (samples, try await campaigns.unsettled(attempts: Self.attempts, pause: .seconds(1)))
        }
        return SoakReport(
            samples: samples, calls: calls.counts, failures: calls.failures, firstFailure: calls.firstFailure,
            arrivals: await devices.arrivals, departures: await devices.departures,
            campaigns: await campaigns.launched.count, unsettled: unsettled.count
        )
    }

    private func prepare(
        _ server: BenchServer, _ credentials: DemoCredentials, _ http: BenchHTTP
    ) async throws -> BenchApp {
        let app = try await BenchApp.make(
            "soak", attributes: ["city": .string, "firstName": .string], on: server, over: http
        )
        _ = try await server.admin.call(CredentialRoutes.putAPNsCredentials, app.code, body: credentials.apns)
        _ = try await server.admin.call(CredentialRoutes.putFCMCredentials, app.code, body: credentials.fcm)
        _ = try await server.admin.call(
            CredentialRoutes.putWebPushCredentials, app.code, body: credentials.webPush
        )
        _ = try await server.admin.call(
            MessageCenterRoutes.putMessageCenter, app.code, DemoApp.center, body: MessageCenterChange(label: "Offers")
        )
        return app
    }

    /// Runs all the load at the same time, for as long as the plan says.
    private func load(
        _ server: BenchServer, _ devices: SoakDevices, _ campaigns: SoakCampaigns, _ calls: SoakCalls
    ) async throws -> [SoakSample] {
        let begin = ContinuousClock.now
        let end = begin + plan.length
        return try await withThrowingTaskGroup(of: [SoakSample].self) { group in
            group.addTask { try await sample(server, calls, from: begin, until: end) }
            group.addTask {
                try await pacedCalls(devices, until: end)
                return []
            }
            group.addTask {
                try await each(plan.replacementInterval, until: end) {
                    try await devices.depart()
                    try await devices.arrive(1)
                }
                return []
            }
            group.addTask {
                try await each(plan.campaignInterval, until: end) { try await campaigns.launchNext() }
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Starts calls when they are due, whether or not earlier ones have a response.
    private func pacedCalls(_ devices: SoakDevices, until end: ContinuousClock.Instant) async throws {
        let pause = Duration.seconds(1) / plan.callsPerSecond
        try await withThrowingDiscardingTaskGroup { group in
            let slots = SoakSlots(Self.mostCallsAtOnce)
            var due = ContinuousClock.now
            while due < end {
                try await Task.sleep(until: due, clock: .continuous)
                await slots.take()
                group.addTask { [due] in
                    await devices.call(due: due)
                    await slots.giveBack()
                }
                due += pause
            }
        }
    }

    private func sample(
        _ server: BenchServer, _ calls: SoakCalls, from begin: ContinuousClock.Instant,
        until end: ContinuousClock.Instant
    ) async throws -> [SoakSample] {
        var samples: [SoakSample] = []
        try await each(plan.interval, until: end) {
            let (times, failures) = calls.take()
            samples.append(
                SoakSample(
                    seconds: begin.duration(to: .now).inSeconds,
                    memoryBytes: ChildCost.residentBytes(of: server.process),
                    openFiles: ChildCost.openFiles(of: server.process), milliseconds: times, failures: failures
                )
            )
        }
        return samples
    }

    private func each(
        _ interval: Duration, until end: ContinuousClock.Instant, _ action: () async throws -> Void
    ) async throws {
        var due = ContinuousClock.now + interval
        while due < end {
            try await Task.sleep(until: due, clock: .continuous)
            try await action()
            due = max(due + interval, .now)
        }
    }
}

/// A limited number of slots. A caller who finds none free waits for one.
actor SoakSlots {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func giveBack() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
