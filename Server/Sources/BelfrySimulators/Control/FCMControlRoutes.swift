import Foundation
import Hummingbird

/// The calls of the control API for an FCM simulator; see `PushServicesControlServer`.
struct FCMControlRoutes: Sendable {
    let simulator: FCMSimulator

    func add(to router: Router<ControlContext>) {
        router.post("fcm/service-accounts") { request, context in try await registerAccount(request, context) }
        router.post("fcm/tokens") { request, context in try await issueToken(request, context) }
        router.post("fcm/installations") { request, context in try await issueInstallation(request, context) }
        router.put("fcm/tokens/:token") { request, context in try await setState(request, context) }
        router.get("fcm/tokens/:token/notifications") { request, context in try await messages(request, context) }
        router.get("fcm/statistics") { request, context in
            try context.responseEncoder.encode(simulator.statistics, from: request, context: context)
        }
        router.put("fcm/faults") { request, context in
            simulator.setFaults(try await faults(request, context))
            return HTTPResponse.Status.noContent
        }
        router.put("fcm/token-faults") { request, context in
            simulator.setTokenFaults(try await faults(request, context))
            return HTTPResponse.Status.noContent
        }
        router.put("fcm/quotas") { request, context in try await setQuotas(request, context) }
        router.delete("fcm/access-tokens") { _, _ in
            simulator.revokeAccessTokens()
            return HTTPResponse.Status.noContent
        }
        router.get("fcm/trust-root") { _, _ in simulator.trustRootPEM }
    }

    private func registerAccount(_ request: Request, _ context: ControlContext) async throws -> Response {
        let input = try await ControlInput.decode(ControlInput.ServiceAccount.self, from: request, context)
        guard let publicKey = input.publicKey else {
            let file = try ControlError.naming { try simulator.makeServiceAccount(projectID: input.projectId) }
            return Response(
                status: .created,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: file))
            )
        }
        guard let clientEmail = input.clientEmail else { throw ControlError(field: "clientEmail", "is missing") }
        guard let privateKeyID = input.privateKeyId else { throw ControlError(field: "privateKeyId", "is missing") }
        try ControlError.naming {
            try simulator.register(
                FCMServiceAccount(
                    projectID: input.projectId,
                    clientEmail: clientEmail,
                    privateKeyID: privateKeyID,
                    publicKeyPEM: publicKey
                )
            )
        }
        return Response(status: .noContent)
    }

    private func issueToken(_ request: Request, _ context: ControlContext) async throws -> Response {
        let token = simulator.issueToken(projectID: try await projectOfNewDevice(request, context))
        var response = try ControlOutput.Token(token: token).response(from: request, context: context)
        response.status = .created
        return response
    }

    private func issueInstallation(_ request: Request, _ context: ControlContext) async throws -> Response {
        let id = simulator.issueInstallationID(projectID: try await projectOfNewDevice(request, context))
        var response = try ControlOutput.Installation(fid: id).response(from: request, context: context)
        response.status = .created
        return response
    }

    private func projectOfNewDevice(_ request: Request, _ context: ControlContext) async throws -> String {
        let input = try await ControlInput.decode(ControlInput.FCMToken.self, from: request, context)
        try ControlError.naming { try FCMServiceAccount.check(input.projectId, field: "projectId") }
        let limit = FCMSimulator.deviceTokenLimit
        guard simulator.reception.devices.count < limit else {
            throw ControlError(SimulatorError(.limitReached, field: "tokens", "no more than \(limit) tokens"))
        }
        return input.projectId
    }

    private func setState(_ request: Request, _ context: ControlContext) async throws -> HTTPResponse.Status {
        let token = try context.parameters.require("token")
        let input = try await ControlInput.decode(ControlInput.FCMState.self, from: request, context)
        try ControlError.naming { try simulator.setState(of: token, to: input.state) }
        return .noContent
    }

    private func messages(_ request: Request, _ context: ControlContext) async throws -> [ControlOutput.FCMMessage] {
        let token = try context.parameters.require("token")
        let poll = try ControlPoll(request)
        return try await ControlError.naming {
            try await simulator.poll(token, after: poll.after, wait: poll.wait).map(ControlOutput.FCMMessage.init)
        }
    }

    private func setQuotas(_ request: Request, _ context: ControlContext) async throws -> HTTPResponse.Status {
        let input = try await ControlInput.decode(ControlInput.FCMQuotas.self, from: request, context)
        try ControlError.naming {
            simulator.setQuotas(
                project: try SimulatorQuota.of(input.project, "project"),
                device: try SimulatorQuota.of(input.device, "device")
            )
        }
        return .noContent
    }

    private func faults(_ request: Request, _ context: ControlContext) async throws -> FaultPlan {
        let input = try await ControlInput.decode(ControlInput.Faults.self, from: request, context)
        return try ControlError.naming { try FaultPlan(input) }
    }
}
