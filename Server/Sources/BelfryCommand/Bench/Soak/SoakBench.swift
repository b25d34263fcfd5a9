import ArgumentParser
import Belfry
import BelfryModel
import BelfrySimulators
import BelfryWire
import Foundation
import Logging
import ServiceLifecycle

/// What `belfry bench soak` does: mixed load on a server of its own, with samples of what it costs.
struct SoakBench: Service {
    /// Beyond what is due now, calls wait: a server that has stopped answering is no reason to fill the memory.
    private static let mostCallsAtOnce = 256
    /// For the last campaigns to end.
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
        // The rates hold, as in production: many devices call, none of them often.
        let options = ["--allow-private-endpoints"]
        let report = try await BenchServer.run(options: options) { server in
            try await BenchHTTP.run { http in try await soak(server, simulators, http, seed: seed) }
        }
        await simulators.apns.shutdown()
        await simulators.fcm.shutdown()
        await simulators.webPush.shutdown()
        if let chart { try Data(SoakChart(report.samples).svg.utf8).write(to: chart) }
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
        let fleet = try fleet(on: server, simulators, credentials)
        try await devices.arrive(plan.devices)
        try await fleet.each { try await $0.launch() }
        let samples = try await load(server, devices, campaigns, fleet, calls)
        let unsettled = try await campaigns.unsettled(attempts: Self.attempts, pause: .seconds(1))
        try await fleet.each { await $0.kill() }
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
        let base = "/api/v1/apps/\(app.code)"
        let _: APNsCredentialsAnswer = try await server.admin.send(.put, "\(base)/credentials/apns", credentials.apns)
        let _: FCMCredentialsAnswer = try await server.admin.send(.put, "\(base)/credentials/fcm", credentials.fcm)
        let _: WebPushCredentialsAnswer = try await server.admin.send(
            .put, "\(base)/credentials/webpush", credentials.webPush
        )
        let _: MessageCenterDefinition = try await server.admin.send(
            .put, "\(base)/message-centers/\(DemoStory.center)", MessageCenterChange(label: "Offers")
        )
        return app
    }

    private func fleet(
        on server: BenchServer, _ simulators: SimulatedPushServices, _ credentials: DemoCredentials
    ) throws -> Fleet {
        guard let url = URL(string: server.address) else { throw ExitCode.failure }
        let world = SimulatedDevice.World(
            appCode: "soak", serverURL: url, directory: server.folder.appending(path: "phones"),
            transport: URLSessionTransport(serverURL: url), environment: .live,
            pushServices: simulators.forDevices(credentials), centers: DemoStory.centers
        )
        return Fleet(count: plan.phones, world: world) { index in
            var behaviour = DeviceBehaviour.ofCrowd(index)
            behaviour.token = behaviour.token == .unregistered ? .valid : behaviour.token
            return behaviour
        }
    }

    /// All of it at the same time, for as long as the plan says.
    private func load(
        _ server: BenchServer, _ devices: SoakDevices, _ campaigns: SoakCampaigns, _ fleet: Fleet, _ calls: SoakCalls
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
            group.addTask {
                try await each(.seconds(5), until: end) { try await usePhones(fleet) }
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// People look at their phones and browsers, read what is new, and something happens in the app.
    private func usePhones(_ fleet: Fleet) async throws {
        try await fleet.each { device in
            try await device.track(DemoStory.basketEvent)
            try await device.look()
            await device.readNews()
        }
    }

    /// Calls leave when they are due, whether or not the former ones have been answered.
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
