import BelfryModel
import BelfryServices
import BelfryWire

/// The routes that list an app's devices and find one (ADM-7).
package enum DeviceListRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [listDevices.route]

    package static let listDevices = AdminRoute(
        .get, inApp: "/devices", id: "listDevices", .people, scope: .read, summary: "List or find devices",
        description: "Newest first. At most one of the filters may be given.",
        parameters: page.parameters + [
            OperationParameter(
                name: "contact", place: .query, schema: .string(1...ContactKey.maximumLength),
                description: "Only the devices of the contact with this key."
            ),
            OperationParameter(
                name: "pushToken", place: .query, schema: .string(1...PushToken.maximumLength),
                description: "Only devices with this push token, written in full."
            ),
            OperationParameter(
                name: "clientId", place: .query, schema: .string(),
                description: "Only the installations with this id: there may be none, or several."
            ),
        ],
        response: "One page.", does: list
    )

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<DeviceListResponse> {
        let page = try call.page(Self.page)
        let found = try await call.services.directory.devices(
            matching: try filter(call), app: app, before: page.number(), limit: page.limit
        )
        let response = DeviceListResponse(
            devices: found.devices.map(DeviceListResponse.Entry.init), cursor: found.next.map { String($0) }
        )
        return Done(response)
    }

    private static func filter(_ call: AdminCall<NoBody>) throws(APIError) -> DeviceListFilter {
        let names = ["clientId", "pushToken", "contact"]
        var values: [String: String] = [:]
        for name in names {
            guard let value = call.request.uri.queryParameters[name[...]], !value.isEmpty else { continue }
            guard !value.utf8.contains(0) else {
                throw APIError(
                    .badRequest, ErrorCode.badRequest, "It contains the null character.", target: name
                )
            }
            values[name] = String(value)
        }
        guard values.count <= 1 else {
            throw APIError(
                .badRequest, ErrorCode.badRequest, "Use only one of clientId, pushToken and contact.",
                target: names.first { values[$0] != nil }
            )
        }
        return DeviceListFilter(
            client: values["clientId"], pushToken: values["pushToken"], contact: values["contact"]
        )
    }
}

/// `GET …/devices`, newest first.
package struct DeviceListResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var deviceId: String
        /// The number of the installation, because an id may name several (WIRE-20).
        package var installation: String
        package var contactKey: String?
        package var platform: String?
        package var appVersion: String?
        package var pushProvider: PushProvider?
        /// Shortened: a push token can be used to send (SEC-3).
        package var pushToken: String?
        package var optOut: OptOutReason?
        package var lastOpenedAt: String?
        package var createdAt: String
    }

    package var devices: [Entry]
    package var cursor: String?

    package init(devices: [Entry], cursor: String? = nil) {
        self.devices = devices
        self.cursor = cursor
    }
}

extension DeviceListResponse.Entry {
    init(_ listed: ListedDevice) {
        let device = listed.device
        self.init(
            deviceId: device.client.rawValue, installation: String(device.id), contactKey: listed.contactKey,
            platform: device.system.platform,
            appVersion: device.system.appVersion, pushProvider: device.pushToken?.provider,
            pushToken: device.pushToken?.description, optOut: device.optOut?.reason,
            lastOpenedAt: device.lastOpenedAt.map(Timestamp.text), createdAt: Timestamp.text(device.createdAt)
        )
    }
}

extension DeviceListResponse: Described {
    static let schema: JSONSchema = .object(
        ["devices": .list(of: entrySchema)], optional: ["cursor": .cursor]
    )

    static let entrySchema: JSONSchema = .object(
        ["deviceId": .string(), "installation": .installation, "createdAt": .of(Timestamp.self)],
        optional: [
            "contactKey": .string(), "platform": .string(), "appVersion": .string(),
            "pushProvider": .of(PushProvider.self),
            "pushToken": .string().described("Shortened, because a token can be used to send."),
            "optOut": .cases(of: OptOutReason.self), "lastOpenedAt": .of(Timestamp.self),
        ]
    )
}
