import Foundation
import Hummingbird

/// The calls of the control API for a web push simulator; see `PushServicesControlServer`.
struct WebPushControlRoutes: Sendable {
    let simulator: WebPushSimulator

    func add(to router: Router<ControlContext>) {
        router.post("webpush/subscriptions") { request, context in try await subscribe(request, context) }
        router.put("webpush/subscriptions/:id") { request, context in try await setState(request, context) }
        router.get("webpush/subscriptions/:id/notifications") { request, context in
            try await pushes(request, context)
        }
        router.get("webpush/statistics") { request, context in
            try context.responseEncoder.encode(simulator.statistics, from: request, context: context)
        }
        router.put("webpush/faults") { request, context in try await setFaults(request, context) }
        router.put("webpush/quotas") { request, context in try await setQuotas(request, context) }
        router.get("webpush/trust-root") { _, _ in simulator.trustRootPEM }
    }

    private func subscribe(_ request: Request, _ context: ControlContext) async throws -> Response {
        let input = try await ControlInput.decode(ControlInput.Subscription.self, from: request, context)
        let limit = WebPushSimulator.subscriptionLimit
        guard simulator.reception.devices.count < limit else {
            throw ControlError(SimulatorError(.limitReached, field: "subscriptions", "no more than \(limit)"))
        }
        let subscription = try ControlError.naming {
            try simulator.subscribe(applicationServerKey: input.applicationServerKey)
        }
        var response = try ControlOutput.Subscription(subscription).response(from: request, context: context)
        response.status = .created
        return response
    }

    private func setState(_ request: Request, _ context: ControlContext) async throws -> HTTPResponse.Status {
        let id = try context.parameters.require("id")
        let input = try await ControlInput.decode(ControlInput.SubscriptionState.self, from: request, context)
        try ControlError.naming { try simulator.setState(of: id, to: input.state) }
        return .noContent
    }

    private func pushes(_ request: Request, _ context: ControlContext) async throws -> [ControlOutput.WebPush] {
        let id = try context.parameters.require("id")
        let poll = try ControlPoll(request)
        return try await ControlError.naming {
            try await simulator.poll(id, after: poll.after, wait: poll.wait).map(ControlOutput.WebPush.init)
        }
    }

    private func setQuotas(_ request: Request, _ context: ControlContext) async throws -> HTTPResponse.Status {
        let input = try await ControlInput.decode(ControlInput.WebPushQuotas.self, from: request, context)
        try ControlError.naming {
            simulator.setQuotas(
                sender: try SimulatorQuota.of(input.sender, "sender"),
                subscription: try SimulatorQuota.of(input.subscription, "subscription")
            )
        }
        return .noContent
    }

    private func setFaults(_ request: Request, _ context: ControlContext) async throws -> HTTPResponse.Status {
        let input = try await ControlInput.decode(ControlInput.Faults.self, from: request, context)
        simulator.setFaults(try ControlError.naming { try FaultPlan(input) })
        return .noContent
    }
}
