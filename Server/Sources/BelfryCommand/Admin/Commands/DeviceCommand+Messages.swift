import ArgumentParser
import BelfryAPI

extension DeviceCommand {
    struct Messages: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the result of each campaign on a device, newest first."
        )

        @OptionGroup var target: DeviceTarget
        @OptionGroup var list: ListOptions

        func run() async throws {
            let found = try await target.admin.withClient { client in
                try await list.collect(pagesOf: DeviceRoutes.pageOfMessages) {
                    query -> ListPage<DeviceMessagesResponse.Entry> in
                    let page: DeviceMessagesResponse = try await client.call(
                        DeviceRoutes.listDeviceMessages, target.app, target.id, query: query
                    )
                    return ListPage(entries: page.messages, cursor: page.cursor)
                }
            }
            try target.admin.show(DeviceMessagesResponse(messages: found.entries, cursor: found.cursor)) { response in
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
