import ArgumentParser
import BelfryAPI

extension DeviceCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List an app's devices, newest first, or find one."
        )

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions
        @Argument(help: "The app's code.")
        var app: String
        @Option(help: "Only the devices of the contact with this key.")
        var contact: String?
        @Option(help: "Only devices with this push token, written in full.")
        var pushToken: String?
        @Option(help: "Only the installations with this id.")
        var client: String?

        func validate() throws {
            guard [contact, pushToken, client].count(where: { $0 != nil }) <= 1 else {
                throw ValidationError("Use only one of --contact, --push-token and --client.")
            }
        }

        func run() async throws {
            let filter = [("contact", contact), ("pushToken", pushToken), ("clientId", client)]
                .compactMap { name, value in value.map { "\(name)=\($0.pathSegment)&" } }.joined()
            let found: DeviceListResponse = try await admin.withClient { client in
                try await list.collect(\.devices, \.cursor, pagesOf: DeviceListRoutes.page) { query in
                    try await client.call(
                        DeviceListRoutes.listDevices, app, query: filter + query
                    )
                }
            }
            try admin.show(found) { answer in
                var table = TextTable(
                    "DEVICE", "INSTALLATION", "CONTACT", "PLATFORM", "PUSH TOKEN", "OPT-OUT", "LAST OPENED", "CREATED")
                for device in answer.devices {
                    table.add(
                        device.deviceId, device.installation, device.contactKey ?? "", device.platform ?? "",
                        device.pushToken ?? "", device.optOut?.rawValue ?? "", device.lastOpenedAt ?? "",
                        device.createdAt
                    )
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }
}
