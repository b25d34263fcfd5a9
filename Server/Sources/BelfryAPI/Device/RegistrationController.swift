import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Registrations and their receipts (WIRE-7, WIRE-8).
struct RegistrationController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.post("client/registration", use: receive)
        group.get("client/registration/:registrationId", use: receipt)
    }

    private func receive(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let meter = services.meter(of: context)
        let bytes = try await request.bodyBytes(meter: meter)
        let snapshot = try JSONBody.decode(RegistrationSnapshot.self, from: bytes)
        let answer = try await meter.storing(bytes: bytes.count) {
            try await services.registrations.receive(snapshot, caller: caller)
        }
        let body = RegistrationAnswer(
            registrationId: answer.value.registrationID, revision: answer.value.revision, status: answer.value.status
        )
        return try Response.json(body, status: .created).carrying(stateOf: answer)
    }

    private func receipt(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let answer = try await services.registrations.receipt(
            context.pathParameter("registrationId"), caller: caller
        )
        let body = RegistrationReceipt(
            registrationId: answer.value.registrationID, revision: answer.value.revision,
            status: answer.value.status, rejected: answer.value.rejected
        )
        return try Response.json(body).carrying(stateOf: answer)
    }
}
