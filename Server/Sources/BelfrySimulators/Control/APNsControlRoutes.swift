import Foundation
import Hummingbird

/// The calls of the control API for an APNs simulator; see `PushServicesControlServer`.
struct APNsControlRoutes: Sendable {
    /// The range of `since`: milliseconds since 1970, up to the year 9999.
    static let moments = 0.0...253_402_300_799_999

    let simulator: APNsSimulator

    func add(to router: Router<ControlContext>) {
        router.post("keys") { request, context in try await registerKey(request, context) }
        router.post("tokens") { request, context in try await issueToken(request, context) }
        router.put("tokens/:token") { request, context in try await setState(request, context) }
        router.get("tokens/:token/notifications") { request, context in try await notifications(request, context) }
        router.get("statistics") { request, context in
            try context.responseEncoder.encode(simulator.statistics, from: request, context: context)
        }
        router.put("faults") { request, context in try await setFaults(request, context) }
        router.put("quotas") { request, context in try await setQuotas(request, context) }
        router.get("trust-root") { _, _ in simulator.trustRootPEM }
    }

    private func registerKey(_ request: Request, _ context: ControlContext) async throws -> HTTPResponse.Status {
        let input = try await ControlInput.decode(ControlInput.Key.self, from: request, context)
        guard input.environments?.isEmpty != true else {
            throw ControlError(field: "environments", "must name production, sandbox or both; absent: both")
        }
        try ControlError.naming {
            try simulator.register(
                APNsProviderKey(
                    teamID: input.teamId,
                    keyID: input.keyId,
                    publicKeyPEM: input.publicKey,
                    topics: input.topics,
                    environments: input.environments ?? Set(APNsEnvironment.allCases)
                )
            )
        }
        return .noContent
    }

    private func issueToken(_ request: Request, _ context: ControlContext) async throws -> Response {
        let input = try await ControlInput.decode(ControlInput.Token.self, from: request, context)
        guard !input.topic.isEmpty, input.topic.utf8.count <= APNsRequestCheck.topicLimit else {
            throw ControlError(field: "topic", "must have 1 to \(APNsRequestCheck.topicLimit) bytes")
        }
        let limit = APNsSimulator.deviceTokenLimit
        guard simulator.reception.devices.count < limit else {
            throw ControlError(SimulatorError(.limitReached, field: "tokens", "no more than \(limit) device tokens"))
        }
        let token = simulator.issueToken(topic: input.topic, environment: input.environment)
        var response = try ControlOutput.Token(token: token).response(from: request, context: context)
        response.status = .created
        return response
    }

    private func setState(_ request: Request, _ context: ControlContext) async throws -> HTTPResponse.Status {
        let token = try context.parameters.require("token")
        let input = try await ControlInput.decode(ControlInput.State.self, from: request, context)
        guard input.since.map({ Self.moments.contains($0) }) ?? true else {
            throw ControlError(field: "since", "must be milliseconds since 1970, up to the year 9999")
        }
        let since = input.since.map { Date(timeIntervalSince1970: $0 / 1_000) } ?? simulator.reception.now
        let state: APNsTokenState =
            switch input.state {
            case .valid: .valid
            case .unregistered: .unregistered(since: since)
            case .expired: .expired(since: since)
            case .malformed: .malformed
            case .wrongTopic: .wrongTopic
            }
        try ControlError.naming { try simulator.setState(of: token, to: state) }
        return .noContent
    }

    private func notifications(
        _ request: Request,
        _ context: ControlContext
    ) async throws -> [ControlOutput.Notification] {
        let token = try context.parameters.require("token")
        let poll = try ControlPoll(request)
        return try await ControlError.naming {
            try await simulator.poll(token, after: poll.after, wait: poll.wait).map(ControlOutput.Notification.init)
        }
    }

    private func setQuotas(_ request: Request, _ context: ControlContext) async throws -> HTTPResponse.Status {
        let input = try await ControlInput.decode(ControlInput.APNsQuotas.self, from: request, context)
        try ControlError.naming { simulator.setDeviceQuota(try SimulatorQuota.of(input.device, "device")) }
        return .noContent
    }

    private func setFaults(_ request: Request, _ context: ControlContext) async throws -> HTTPResponse.Status {
        let input = try await ControlInput.decode(ControlInput.Faults.self, from: request, context)
        try ControlError.naming { simulator.setFaults(try FaultPlan(input)) }
        return .noContent
    }
}
