import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

@testable import BelfryAPI
@testable import BelfryServices

extension WireSample {
    private static let at = "2026-11-21T12:00:00.000Z"

    static func administration() throws -> [WireSample] {
        try keys() + users() + persons() + [
            try WireSample("RenameAppRequest", RenameAppRequest(name: "Shop")),
            try WireSample("ServerStateResponse", serverState),
            try WireSample(
                "ServerResponse",
                ServerViewResponse(
                    time: at, peer: "127.0.0.1", isForwarded: false, isProxyTrusted: false, caller: "127.0.0.1"
                )
            ),
            try WireSample(
                "CredentialCheckResponse", CredentialCheckResponse(.rejected(reason: "InvalidProviderToken"))
            ),
            try WireSample(
                "PlacedMessagesResponse",
                PlacedMessagesResponse(
                    messages: [
                        .init(
                            id: "7C9E6679-7425-40DE-944B-E07FC1F90AE7", campaign: "7", contactKey: "anna",
                            deviceId: "d", center: "Primary", sentAt: at,
                            expiresAt: at, state: .read, recalledAt: at
                        )
                    ],
                    cursor: "7"
                )
            ),
            try WireSample(
                "AuditListResponse",
                AuditListResponse(
                    entries: [.init(at: at, actor: "key-1", app: "shop", action: "read", target: "7")], cursor: "7"
                )
            ),
        ]
    }

    private static let serverState = ServerStateResponse(
        time: at, readiness: "ready",
        database: .init(engine: "SQLite", version: "3.46.1", size: 4_096, schema: 19, knownSchema: 19),
        disk: .init(total: 1_000, available: 500, floor: 50, isLow: false),
        queues: ["registrations": .init(count: 1, oldest: at)],
        halted: [.init(app: "shop", campaign: "7", name: "Sale", reason: "APNs: wrong topic.")],
        refused: [.init(app: "shop", devices: 3)], auditLinesHeld: 0
    )

    private static func keys() throws -> [WireSample] {
        var request = CreateAdminKeyRequest(scope: .read, label: "Reports")
        request.expiresAt = Date(timeIntervalSince1970: 1_795_262_400)
        let entry = AdminKeyListResponse.Entry(
            id: "key-7", scope: .campaign, label: "Reports", createdAt: at, expiresAt: at, revokedAt: at
        )
        return [
            try WireSample("CreateAdminKeyRequest", request),
            try WireSample("CreateAdminKeyResponse", CreateAdminKeyResponse(entry, apiKey: "bk_1")),
            try WireSample("AdminKeyListResponse", AdminKeyListResponse(keys: [entry], cursor: "7")),
        ]
    }

    private static func users() throws -> [WireSample] {
        let user = UserResponse(
            name: "anna", displayName: "Anna", isOperator: false, isDisabled: false, hasPassword: true,
            roles: ["shop": .viewer], createdAt: at
        )
        return [
            try WireSample(
                "CreateUserRequest",
                CreateUserRequest(
                    name: "anna", displayName: "Anna", password: "a long password", isOperator: false,
                    roles: ["shop": .viewer]
                )
            ),
            try WireSample(
                "ChangeUserRequest", ChangeUserRequest(displayName: "Anna", isOperator: true, isDisabled: false)),
            try WireSample(
                "UserSessionListResponse",
                UserSessionListResponse(
                    sessions: [.init(id: "7", agent: "Firefox", createdAt: at, seenAt: at, expiresAt: at)])
            ),
            try WireSample("SetPasswordRequest", SetPasswordRequest(password: "a long password")),
            try WireSample("SetUserRoleRequest", SetUserRoleRequest(role: .viewer)),
            try WireSample("UserResponse", user),
            try WireSample("UserListResponse", UserListResponse(users: [user], cursor: "7")),
        ]
    }

    private static func persons() throws -> [WireSample] {
        let moment = Date(timeIntervalSince1970: 1_795_262_400)
        let receipt = ErasureResponse(
            ErasureReceipt(
                name: "r", contact: 7, startedAt: moment, endedAt: moment,
                removed: RemovedCounts(devices: 1, events: 2, messages: 3, deliveries: 4)
            )
        )
        var device = DeviceListResponse.Entry(deviceId: "d", installation: "3", createdAt: at)
        device.contactKey = "anna"
        return [
            try WireSample("RenameContactRequest", RenameContactRequest(to: "anna")),
            try WireSample("MergeContactRequest", MergeContactRequest(into: "anna")),
            try WireSample("ContactKeyResponse", ContactKeyResponse(contactKey: "anna", devices: 2)),
            try WireSample("ErasureResponse", receipt),
            try WireSample("ErasureListResponse", ErasureListResponse(erasures: [receipt], cursor: "7")),
            try WireSample("DeviceListResponse", DeviceListResponse(devices: [device], cursor: "7")),
            try WireSample("ContactExport", try export()),
            try WireSample("PeopleSearchResponse", search(device)),
            try WireSample("TimelineResponse", timeline()),
        ]
    }

    private static func search(_ device: DeviceListResponse.Entry) -> PeopleSearchResponse {
        PeopleSearchResponse(found: [
            PeopleSearchResponse.Finding(
                by: .key, sentence: "Contacts whose key begins so",
                people: [
                    PeopleSearchResponse.Person(
                        contactKey: "anna", formerKey: "ann", known: true, createdAt: at, lastOpenedAt: at
                    )
                ],
                devices: [device], cursor: "7"
            )
        ])
    }

    private static func timeline() -> TimelineResponse {
        let campaign = TimelineResponse.Campaign(id: "7", name: "Sale", kind: .push)
        let rejected = [RejectedField(field: "attributes.shoe", reason: "undefined", message: "It is not defined.")]
        return TimelineResponse(
            entries: [
                TimelineResponse.Entry(
                    at: at, kind: .decision, what: "suppressed", sentence: "It was not sent.", deviceId: "d",
                    installation: "3", campaign: campaign, reason: "noToken", attributes: ["city": "Paris"],
                    rejected: rejected
                )
            ], cursor: "7"
        )
    }

    private static func export() throws -> ContactExportResponse {
        let content = try JSONBody.decode(JSONObject.self, from: Array(#"{"subject":"Hi","custom":{"sku":42}}"#.utf8))
        return ContactExportResponse(
            app: "shop", exportedAt: at,
            contact: ExportedContact(
                contactKey: "anna", aliases: ["ann"], known: true,
                partyIdentifier: PartyIdentifier(type: "email", name: "primary", number: "a@example.com"),
                attributes: ["city": "Paris"], attributesSetAt: ["city": at], tags: ["sports"], lastOpenedAt: at,
                createdAt: at
            ),
            devices: [ExportedDevice(deviceId: "d", isPresent: false)],
            links: [ExportedLink(deviceId: "d", at: at, began: true, cause: .registration, known: true)],
            registrations: [
                ExportedRegistration(
                    deviceId: "d", id: "r1", revision: 1, receivedAt: at, status: .partlyRejected,
                    rejected: [RejectedField(field: "attributes.shoe", reason: "undefined", message: "It is not.")],
                    said: content
                )
            ],
            events: [
                ExportedEvent(
                    deviceId: "d", id: "e1", type: "custom", name: "purchase", timestamp: at, correctedTimestamp: at,
                    receivedAt: at, sessionId: "s", attributes: ["sku": "42"]
                )
            ],
            messages: [
                ExportedMessage(
                    deviceId: "d", campaign: "7", center: "Primary", sentAt: at, expiresAt: at, state: .read,
                    stateAt: at,
                    content: content, richHtml: "<p>Hi</p>", richStored: [ExportedMoment(deviceId: "d", at: at)]
                )
            ],
            ledger: [],
            inApp: [
                ExportedInAppMessage(
                    deviceId: "d", campaign: "7", name: "Sale", version: 1, downloadedAt: at, displays: 1,
                    displayedAt: at, clicks: 1, clickedAt: at, dismissals: 1, dismissedAt: at, secondsOnScreen: 2.5,
                    clicksByButton: ["buy": 1], timesNotShown: ["capped": 2], notShownReason: "capped",
                    notShownAt: at, recalledAt: at
                )
            ],
            rehearsals: [
                ExportedRehearsal(
                    deviceId: "d", campaign: "7", rehearsal: "3", state: .suppressed, reason: "noToken", at: at
                )
            ]
        )
    }
}
