import ArgumentParser
import BelfryModel
import BelfryWire
import Foundation

/// How a campaign leaves (IAM-10).
extension CampaignCommand {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a draft, or take a campaign that is over off the list.",
            discussion: """
                An in-app campaign ends with it: who has not downloaded its message never gets it, and copies on \
                devices go on until their own end. To take those back, too, there is 'campaign recall'.
                """
        )

        @OptionGroup var target: Target

        func run() async throws {
            try await target.admin.withClient { client in try await client.delete(target.path) }
            try target.admin.show(DeletedCampaign(id: target.id)) { "Campaign \($0.id.printable) is deleted." }
        }
    }

    struct Recall: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take an in-app message back, also from the devices that have it, as they come to ask."
        )

        @OptionGroup var target: Target

        func run() async throws {
            let answer: CampaignStatusAnswer = try await target.admin.withClient { client in
                try await client.send(.post, "\(target.path)/recall", String?.none)
            }
            try target.admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue); devices remove its message." }
        }
    }
}

/// What `campaign delete` answers with `--json`: the server's answer has no body.
private struct DeletedCampaign: Encodable {
    let id: String
    var deleted = true
}

/// A file for the page of a preview.
struct PageFile: Hashable, Sendable {
    let path: String

    func write(_ answer: CampaignPreviewAnswer) throws(PageFileError) {
        guard let page = answer.previews.compactMap(\.html).first else {
            throw PageFileError(file: self, fault: .noPage(answer.previews.compactMap(\.problem).first))
        }
        do {
            try Data(page.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw PageFileError(file: self, fault: .notWritable)
        }
    }
}

/// Why no page was written, and what to do.
struct PageFileError: Error, CustomStringConvertible {
    enum Fault: Hashable, Sendable {
        /// With what the server says of a recipient.
        case noPage(String?)
        case notWritable
    }

    let file: PageFile
    let fault: Fault

    var description: String {
        switch fault {
        case .noPage(let problem?): "There is no page to write to \(file.path) (--html). \(problem.printable)"
        case .noPage(nil):
            "There is no page to write to \(file.path) (--html): the campaign shows nothing in the app, or nobody is "
                + "in its audience."
        case .notWritable: "The file \(file.path) (--html) cannot be written: check its folder and its permissions."
        }
    }
}
