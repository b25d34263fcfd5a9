import BelfryInAppRenderer
import BelfryTestSupport
import Foundation

@testable import Belfry

/// A scenario in progress: it takes the steps, and compares.
final class ScenarioRun {
    private let scenario: Scenario
    private let device: ScenarioDevice
    private var bindings = Bindings()
    /// How many requests and stored events earlier expectations have seen.
    private var seenRequests = 0
    private var seenEvents = 0
    /// The number of requests that were made before each end of an installation.
    private var endsOfInstallations: [Int] = []

    init(_ scenario: Scenario, seed: UInt64) throws {
        self.scenario = scenario
        device = try ScenarioDevice(scenario.config, seed: seed)
    }

    /// - Throws: what the SDK does wrong, or what is wrong with the scenario.
    func run() async throws {
        for step in scenario.steps {
            do {
                try await take(step)
            } catch let error as ScenarioError {
                throw ScenarioError("\(scenario.name), step \(step.number) (\(step.name)): \(error)")
            }
            await device.settle()
        }
        let requests = await device.server.requests
        try await device.kill()
        let laws = ScenarioLaws(
            requests: requests, endsOfInstallations: endsOfInstallations,
            isThrottleJudged: !scenario.steps.contains { ["setClock", "wipe"].contains($0.name) }
        )
        if let wrong = laws.violation() { throw ScenarioError("\(scenario.name): \(wrong)") }
    }

    private func take(_ step: Scenario.Step) async throws {
        let argument = step.argument
        switch step.name {
        case "launch":
            var fields = try Fields(argument, "launch")
            let isShown = fields.take("foreground")?.bool ?? true
            try fields.finish()
            try await device.launch(inForeground: isShown)
        case "kill": try await device.kill()
        case "pass": try await device.pass(try number(argument))
        case "setClock": device.clock.set(by: try number(argument))
        case "serverClock": device.clock.setServer(ahead: try number(argument))
        case "network":
            guard let word = argument.text, ["on", "off"].contains(word) else {
                throw ScenarioError("neither on nor off")
            }
            try await device.set(isOnline: word == "on")
        case "device": try await device.change(argument)
        case "server":
            for answer in argument.array ?? [] { await device.server.add(try ScenarioResponse(answer)) }
        case "respond":
            _ = try Fields(argument, "respond").finish()
            try await device.server.respond()
        case "messages": await device.server.set(messages: argument)
        case "badge": await device.server.set(badge: argument)
        case "inApp": await device.server.set(inApp: try ScenarioInApp(argument))
        case "pressInApp", "closeInApp":
            try await device.press(step.name == "pressInApp" ? .click(buttonID: argument.text) : .close(.close))
        case "expect": try await expect(argument)
        default: try await call(step)
        }
        if step.name == "wipe" { endsOfInstallations.append(await device.server.requests.count) }
    }

    private func number(_ argument: JSONValue) throws -> Double {
        guard case .number(let number) = argument else { throw ScenarioError("\(argument) is no number") }
        return number
    }

    private func call(_ step: Scenario.Step) async throws {
        do {
            let results = try await device.call(step.name, step.argument)
            if let code = step.fails { throw ScenarioError("it did not fail with \(code)") }
            let expected = step.returns.map { [$0] } ?? step.results ?? results.map { _ in "accepted" }
            guard results == expected else { throw ScenarioError("it returned \(results), expected \(expected)") }
        } catch let failure as ScenarioDevice.CodedFailure {
            guard failure.code == step.fails else { throw ScenarioError("it failed with \(failure.code)") }
        }
    }
}

// Expectations, in the order of the table in the description.
extension ScenarioRun {
    private func expect(_ argument: JSONValue) async throws {
        var fields = try Fields(argument, "expect")
        let all = await device.server.requests
        let requests = Array(all[seenRequests...])
        let events = await Array(device.server.stored[seenEvents...])
        (seenRequests, seenEvents) = (all.count, events.count + seenEvents)
        let sent = requests.filter {
            !$0.name.hasPrefix("GET") && ![ScenarioRequest.events, "PUT /client/badge"].contains($0.name)
        }
        if let list = fields.take("requests") { try compare(sent, list, "requests") }
        if let list = fields.take("uploads") {
            try compare(requests.filter { $0.name == ScenarioRequest.events }, list, "uploads")
        }
        if let counts = fields.take("counts") {
            for (name, pattern) in (counts.object ?? [:]).sorted(by: { $0.key < $1.key }) {
                try check(.number(Double(requests.count { $0.name == name })), pattern, "the count of \(name)")
            }
        }
        if let order = fields.take("order") { try checkOrder(requests, order) }
        let arrived = requests.filter { $0.name == ScenarioRequest.registration && $0.hasArrived }
        try check(.array(arrived.map(\.body)), fields.take("registrations"), "registrations")
        let (own, tracked) = (events.filter { $0.isInternal }, events.filter { !$0.isInternal })
        try check(.array(tracked), fields.take("events"), "events")
        try check(.array(own.map { $0["name"] ?? .null }), fields.take("internalEvents"), "internalEvents")
        try check(.array(ScenarioInApp.reports(in: own)), fields.take("inAppReports"), "inAppReports")
        try await expectKept(&fields)
        try fields.finish()
    }

    private func expectKept(_ fields: inout Fields) async throws {
        if let state = fields.take("state") {
            let json = try await device.client.state().json
            try check(try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)), state, "state")
        }
        if let record = fields.take("record") { try check(try await device.record(), record, "record") }
        if let messages = fields.take("messages") { try check(try await device.messages(), messages, "messages") }
        if let unread = fields.take("unread") {
            try check(.number(Double(try await device.client.unreadCount())), unread, "unread")
        }
        if let badge = fields.take("badge") {
            try check(.number(Double(try await device.client.badgeCount)), badge, "badge")
        }
        try check(JSONValue(device.shownCampaign), fields.take("inApp"), "inApp")
        let reports = try await device.takeReports().compactMap(\.kind).map { JSONValue.string($0) }
        try check(.array(reports), fields.take("reports"), "reports")
        let shown = await device.takeShown().map { JSONValue.string($0) }
        try check(.array(shown), fields.take("shown"), "shown")
    }

    private func check(_ value: JSONValue, _ pattern: JSONValue?, _ place: String) throws {
        guard let pattern, let wrong = try bindings.mismatch(value, pattern, at: place) else { return }
        throw ScenarioError(wrong)
    }

    private func checkOrder(_ requests: [ScenarioRequest], _ order: JSONValue) throws {
        var after = -1
        for name in order.array ?? [] {
            guard let place = requests.firstIndex(where: { $0.name == name.text }), place > after else {
                throw ScenarioError("order: \(requests.map(\.name)), expected \(order)")
            }
            after = place
        }
    }
}

// Requests.
extension ScenarioRun {
    private func compare(_ requests: [ScenarioRequest], _ patterns: JSONValue, _ place: String) throws {
        var left = requests[...]
        func missing(_ why: String) -> ScenarioError {
            let present = requests.map { "\($0.name) at \($0.at)" }
            return ScenarioError("\(place): \(why); there are \(present), expected \(patterns)")
        }
        for pattern in patterns.array ?? [] {
            guard let free = pattern["anyOrder"]?.array else {
                guard let next = left.popFirst() else { throw missing("one is missing") }
                if let wrong = try mismatch(next, pattern, place) { throw missing(wrong) }
                continue
            }
            var open = free
            for _ in free {
                guard let next = left.popFirst() else { throw missing("one is missing") }
                guard let fitting = try firstFitting(next, open, place) else {
                    throw missing("\(next.name) is none of these")
                }
                open.remove(at: fitting)
            }
        }
        guard left.isEmpty else { throw missing("there are more") }
    }

    private func firstFitting(
        _ request: ScenarioRequest, _ patterns: [JSONValue], _ place: String
    ) throws -> Int? {
        for (number, pattern) in patterns.enumerated() {
            let former = bindings
            if try mismatch(request, pattern, place) == nil { return number }
            bindings = former
        }
        return nil
    }

    private func mismatch(_ request: ScenarioRequest, _ pattern: JSONValue, _ place: String) throws -> String? {
        if pattern.text != nil { return request.name == pattern.text ? nil : "\(request.name) is not \(pattern)" }
        var fields = try Fields(pattern, place)
        if let name = fields.take("request"), name.text != request.name { return "\(request.name) is not \(name)" }
        if let span = fields.take("at")?.array?.compactMap(\.number) {
            guard span.count == 2 else { throw ScenarioError("\(place): 'at' needs two times") }
            if request.at < span[0] || request.at > span[1] { return "\(request.name) was made at \(request.at)" }
        }
        for (name, header) in fields.take("headers")?.object?.sorted(by: { $0.key < $1.key }) ?? [] {
            let value = JSONValue(request.header(name))
            if let wrong = try bindings.mismatch(value, header, at: "\(request.name) \(name)") { return wrong }
        }
        for key in ["body", "events", "query"] {
            guard let part = fields.take(key) else { continue }
            if let wrong = try bindings.mismatch(request.value[key], part, at: "\(request.name) \(key)") {
                return wrong
            }
        }
        try fields.finish()
        return nil
    }
}

extension JSONValue {
    fileprivate var isInternal: Bool { self["type"] == .string("internal") }
}

extension ClientReport {
    /// The name in scenarios; nil for what they do not compare.
    fileprivate var kind: String? {
        switch self {
        case .registrationRefused: "registrationRefused"
        case .attributesRejected: "attributesRejected"
        case .editRefused: "editRefused"
        case .linkRefused: "linkRefused"
        case .pushTokenRefused: "pushTokenRefused"
        case .propertiesRefused: "propertiesRefused"
        case .eventsRefused: "eventsRefused"
        case .eventsSetAside: "eventsSetAside"
        case .eventsDropped: "eventsDropped"
        case .pushDropped: "pushDropped"
        case .openIDTokenNeeded: "openIDTokenNeeded"
        case .erased: "erased"
        case .pushRegistrationFailed, .inAppLinkRefused, .storageFailed, .callFailed: nil
        }
    }
}
