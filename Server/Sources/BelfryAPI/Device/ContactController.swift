import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoints that link the device to a contact and renew its token (WIRE-2 to WIRE-4).
struct ContactController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(linkContact) { Self(services: $0).link },
        tokenRoute,
        tokenRoute.alias(path: "/v3/apps/{appCode}/client/contact_token", id: "refreshContactTokenByUnderscore"),
    ]

    private static let linkContact = APIOperation(
        method: .post, path: "/v3/apps/{appCode}/client/contact", id: "linkContact", area: .device,
        access: .deviceWithOptionalToken,
        summary: "Link the device to a contact",
        description: """
            To the contact with this key or party identifier, to the one that an OpenID token proves, or, with \
            `?anonymous` and no body, to an anonymous one.
            """,
        parameters: [
            OperationParameter(
                name: "anonymous", place: .query, schema: .word(["", "true", "false"]),
                description: "`?anonymous` and `?anonymous=true` link anonymously.", mayBeEmpty: true
            ),
            OperationParameter(
                name: "fresh", place: .query, schema: .word(["", "true", "false"]),
                description: """
                    With `?anonymous`: to a new contact, even if the device has an anonymous one. For a device that \
                    another person now uses. It keeps its push token, its consent and its revision.
                    """,
                mayBeEmpty: true
            ),
        ],
        body: APIOperation.Body(ContactLinkRequest.self, isRequired: false),
        responses: [.ok(ContactLinkResponse.self, "A token pair, and the opaque reference of the contact.")],
        errors: [.forbidden]
    )

    private static let tokenRoute = Route(refreshContactToken) { Self(services: $0).refresh }

    private static let refreshContactToken = APIOperation(
        method: .post, path: "/v3/apps/{appCode}/client/contact-token", id: "refreshContactToken", area: .device,
        access: .device,
        summary: "Get a new contact token",
        description: "An unknown refresh token is a 400 with the code `1101`: register the device and link it again.",
        body: APIOperation.Body(ContactTokenRequest.self),
        responses: [.ok(ContactTokenResponse.self, "A new contact token.")], isAcceptedOnFullDisk: true
    )

    let services: APIServices

    private func link(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let response =
            try await says("anonymous", request)
            ? services.links.linkAnonymously(services.arriving(context), isFresh: says("fresh", request))
            : identify(request, services.arriving(context))
        let body = ContactLinkResponse(
            contactToken: response.value.contactToken, refreshToken: response.value.refreshToken,
            contactReference: response.value.contactReference
        )
        return try Response.json(body).carrying(stateOf: response)
    }

    /// Whether the query contains `?NAME` or `?NAME=true`, such as `?anonymous` (WIRE-3).
    private func says(_ name: Substring, _ request: Request) throws(APIError) -> Bool {
        guard let value = request.uri.queryParameters[name] else { return false }
        switch value.lowercased() {
        case "", "true": return true
        case "false": return false
        default: throw APIError(.badRequest, ErrorCode.badRequest, "It must be true or false.", target: String(name))
        }
    }

    private func identify(_ request: Request, _ caller: Caller) async throws -> DeviceCallResult<LinkGrant> {
        let body = try await request.json(ContactLinkRequest.self, meter: services.limits.meter(of: caller))
        if let token = body.openIdToken {
            let contact = try provenContact(token, caller)
            return try await services.links.identify(contact, field: body.contactFieldId?.rawValue, caller: caller)
        }
        guard let value = body.contactFieldValue else { return try await identifyOtherwise(body, caller) }
        let key: ContactKey
        do {
            key = try ContactKey(value)
        } catch {
            throw ServiceError.invalid(field: "contactFieldValue", error)
        }
        return try await services.links.identify(key, field: body.contactFieldId?.rawValue, caller: caller)
    }

    private func identifyOtherwise(
        _ body: ContactLinkRequest, _ caller: Caller
    ) async throws -> DeviceCallResult<LinkGrant> {
        if let raw = body.partyIdentifier {
            let party: PartyIdentifier
            do {
                party = try raw.parsed()
            } catch {
                throw ServiceError.invalid(field: "partyIdentifier", error)
            }
            return try await services.links.identify(party, caller: caller)
        }
        if let nonce = body.nonce { return try await services.links.takeBack(nonce, caller: caller) }
        throw APIError.missing(
            "contactFieldValue", "Name the contact with contactFieldValue, or link with ?anonymous=true."
        )
    }

    /// The contact that the token proves. An invalid token is a 403: after a 401, clients would refresh and call again
    /// (WIRE-2).
    private func provenContact(_ token: String, _ caller: Caller) throws -> ProvenContact {
        try caller.newDeviceQuota?.admitProof()
        do {
            let contact = try services.links.contact(provenBy: token, for: caller)
            caller.newDeviceQuota?.takeBackProof()
            return contact
        } catch {
            throw APIError(.forbidden, error.code, error.message, target: "openIdToken")
        }
    }

    private func refresh(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let body = try await request.json(ContactTokenRequest.self, meter: services.meter(of: context))
        let response = try await services.links.refresh(body.refreshToken, caller: context.caller)
        return try Response.json(ContactTokenResponse(contactToken: response.value)).carrying(stateOf: response)
    }
}
