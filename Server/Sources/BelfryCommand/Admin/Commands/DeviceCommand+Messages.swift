import ArgumentParser
import BelfryAPI

extension DeviceCommand {
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a device's tokens, its push token and its link.",
            discussion: """
                For a lost device, or one whose tokens may have leaked. It registers and links again by itself, as a \
                new installation.
                """
        )

        @OptionGroup var target: DeviceTarget

        func run() async throws {
            try await target.admin.withClient { client in
                try await client.call(DeviceRoutes.revokeDevice, target.app, target.id)
            }
            try target.admin.show(RevokedDevice(deviceId: target.id)) {
                "The tokens of the device \($0.deviceId.printable) were revoked."
            }
        }
    }

    struct Messages: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the result of each campaign on a device, newest first."
        )

        @OptionGroup var target: DeviceTarget
        @OptionGroup var list: ListOptions

        func run() async throws {
            let found: DeviceMessagesResponse = try await target.admin.withClient { client in
                try await list.collect(\.messages, \.cursor, pagesOf: DeviceRoutes.pageOfMessages) { query in
                    try await client.call(
                        DeviceRoutes.listDeviceMessages, target.app, target.id, query: query
                    )
                }
            }
            try target.admin.show(found) { response in
                var table = TextTable("CAMPAIGN", "NAME", "TIME", "STATE", "REASON", "IN WORDS")
                for message in response.messages {
                    table.add(
                        message.campaign, message.name, message.at, message.state, message.reason ?? "",
                        message.sentence
                    )
                }
                return list.text(table, cursor: response.cursor)
            }
        }
    }
}

/// The JSON output, because the API's response has no body.
private struct RevokedDevice: Encodable {
    let deviceId: String
}
