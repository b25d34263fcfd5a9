import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Links the device to a contact and renews its token (WIRE-2 to WIRE-4).
struct ContactController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.post("client/contact", use: link)
        for path: RouterPath in ["client/contact-token", "client/contact_token"] {
            group.post(path, use: refresh)
        }
    }

    private func link(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let answer =
            try await says("anonymous", request)
            ? services.links.linkAnonymously(services.arriving(context), isFresh: says("fresh", request))
            : identify(request, services.arriving(context))
        let body = ContactLinkAnswer(
            contactToken: answer.value.contactToken, refreshToken: answer.value.refreshToken,
            contactReference: answer.value.contactReference
        )
        return try Response.json(body).carrying(stateOf: answer)
    }

    /// `?anonymous` and `?anonymous=true` (WIRE-3).
    private func says(_ name: Substring, _ request: Request) throws(APIError) -> Bool {
        guard let value = request.uri.queryParameters[name] else { return false }
        switch value.lowercased() {
        case "", "true": return true
        case "false": return false
        default: throw APIError(.badRequest, ErrorCode.badRequest, "It is true or false.", target: String(name))
        }
    }

    private func identify(_ request: Request, _ caller: Caller) async throws -> Answered<LinkGrant> {
        let body = try await request.json(ContactLinkRequest.self, meter: services.limits.meter(of: caller))
        if let token = body.openIdToken {
            let contact = try provenContact(token, caller)
            return try await services.links.identify(contact, field: body.contactFieldId?.rawValue, caller: caller)
        }
        guard let value = body.contactFieldValue else {
            throw APIError.missing(
                "contactFieldValue", "Name the contact by contactFieldValue, or link with ?anonymous=true."
            )
        }
        let key: ContactKey
        do {
            key = try ContactKey(value)
        } catch {
            throw ServiceError.invalid(field: "contactFieldValue", error)
        }
        return try await services.links.identify(key, field: body.contactFieldId?.rawValue, caller: caller)
    }

    /// A token that proves nothing is a 403: a 401 would make clients refresh and come back (WIRE-2).
    private func provenContact(_ token: String, _ caller: Caller) throws -> ProvenContact {
        try caller.newcomer?.admitProof()
        do {
            let contact = try services.links.contact(provenBy: token, for: caller)
            caller.newcomer?.takeBackProof()
            return contact
        } catch {
            throw APIError(.forbidden, error.code, error.message, target: "openIdToken")
        }
    }

    private func refresh(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let body = try await request.json(ContactTokenRequest.self, meter: services.meter(of: context))
        let answer = try await services.links.refresh(body.refreshToken, caller: context.caller)
        return try Response.json(ContactTokenAnswer(contactToken: answer.value)).carrying(stateOf: answer)
    }
}
