import ArgumentParser
import BelfryWire

extension DeviceCommand {
    struct Messages: AsyncParsableCommand {
        /// The most that the server gives at once.
        private static let pageSize = 200

        static let configuration = CommandConfiguration(
            abstract: "Say what became of each campaign at a device, the newest first."
        )

        @OptionGroup var target: DeviceTarget
        @OptionGroup var list: ListOptions

        func run() async throws {
            let found = try await target.admin.withClient { client in
                try await list.collect(pagesOf: Self.pageSize) { query -> ListPage<DeviceMessagesAnswer.Entry> in
                    let page: DeviceMessagesAnswer = try await client.get("\(target.path)/messages?\(query)")
                    return ListPage(entries: page.messages, cursor: page.cursor)
                }
            }
            try target.admin.show(DeviceMessagesAnswer(messages: found.entries, cursor: found.cursor)) { answer in
                var table = TextTable("CAMPAIGN", "NAME", "TIME", "STATE", "REASON", "IN WORDS")
                for message in answer.messages {
                    table.add(
                        message.campaign, message.name, message.at, message.state, message.reason ?? "",
                        message.sentence
                    )
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }
}
