import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoints for registrations and their receipts (WIRE-7, WIRE-8).
struct RegistrationController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(sendRegistration) { Self(services: $0).receive },
        Route(readRegistration) { Self(services: $0).receipt },
    ]

    private static let sendRegistration = APIOperation(
        method: .post, path: "/v3/apps/{appCode}/client/registration", id: "sendRegistration", area: .device,
        access: .linkedDevice,
        summary: "Send the contact record",
        description: "It is stored and processed later. Its receipt has the result.",
        body: APIOperation.Body(RegistrationSnapshot.self),
        responses: [.created(RegistrationResponse.self, "The registration was stored.")], errors: [.conflict]
    )

    private static let readRegistration = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/client/registration/{registrationId}", id: "readRegistration",
        area: .device,
        access: .linkedDevice, summary: "Read the receipt of a registration",
        responses: [.ok(RegistrationReceipt.self, "The status of its processing, and what was rejected.")],
        errors: [.notFound]
    )

    let services: APIServices

    private func receive(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let meter = services.meter(of: context)
        let bytes = try await request.bodyBytes(meter: meter)
        let snapshot = try JSONBody.decode(RegistrationSnapshot.self, from: bytes)
        let response = try await meter.storing(bytes: bytes.count) {
            try await services.registrations.receive(snapshot, caller: caller)
        }
        let body = RegistrationResponse(
            registrationId: response.value.registrationID, revision: response.value.revision,
            status: response.value.status, registration: response.value.newest
        )
        return try Response.json(body, status: .created).carrying(stateOf: response)
    }

    private func receipt(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let response = try await services.registrations.receipt(
            context.pathParameter("registrationId"), caller: caller
        )
        let body = RegistrationReceipt(
            registrationId: response.value.registrationID, revision: response.value.revision,
            status: response.value.status, rejected: response.value.rejected
        )
        return try Response.json(body).carrying(stateOf: response)
    }
}
