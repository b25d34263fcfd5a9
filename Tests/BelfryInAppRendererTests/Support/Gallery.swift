import BelfryInAppRenderer
import BelfryModel
import Testing

/// One page of each kind that a marketer may make, and of what may go wrong with it. `Scripts/screens-in-app` looks at
/// them in a browser.
struct GalleryPage: Sendable, CustomTestStringConvertible {
    let name: String
    let type: InAppType
    let content: InAppContent
    var options = InAppPageOptions(bridge: .belfry(nonce: "gallery"), language: "en")

    var html: String { InAppPage.make(content, type: type, options: options) }
    var testDescription: String { name }
}

enum Gallery {
    static let pages = types + texts + buttons + images + colors + marketers

    private static let types = InAppType.allCases.filter { ![.html, .action].contains($0) }.map {
        GalleryPage(name: $0.rawValue, type: $0, content: sale)
    }

    private static let texts: [GalleryPage] =
        InAppType.allCases.filter { ![.html, .action].contains($0) }.flatMap {
            [
                GalleryPage(
                    name: "\($0.rawValue)-arabic", type: $0, content: arabic,
                    options: InAppPageOptions(bridge: .belfry(nonce: "gallery"), language: "ar")
                ),
                GalleryPage(name: "\($0.rawValue)-hostile-texts", type: $0, content: hostileTexts),
            ]
        } + [
            GalleryPage(name: "modal-long-words", type: .modal, content: longWords),
            GalleryPage(name: "full-long-words", type: .full, content: longWords),
            GalleryPage(name: "bannerTop-long-words", type: .bannerTop, content: longWords),
            GalleryPage(name: "inline-long-words", type: .inline, content: longWords),
            GalleryPage(name: "modal-long-body", type: .modal, content: longBody),
            GalleryPage(name: "full-long-body", type: .full, content: longBody),
            GalleryPage(name: "bannerBottom-long-body", type: .bannerBottom, content: longBody),
            GalleryPage(name: "fullImage-long-body", type: .fullImage, content: longBody),
            GalleryPage(name: "modal-title-only", type: .modal, content: InAppContent(title: "Welcome back")),
            GalleryPage(
                name: "bannerTop-body-only", type: .bannerTop, content: InAppContent(body: "Your order is on its way.")),
            GalleryPage(name: "modal-foreign-text", type: .modal, content: arabic),
        ]

    private static let buttons = [
        GalleryPage(name: "modal-five-buttons", type: .modal, content: withButtons(5)),
        GalleryPage(name: "full-five-buttons", type: .full, content: withButtons(5)),
        GalleryPage(name: "bannerTop-five-buttons", type: .bannerTop, content: withButtons(5)),
        GalleryPage(name: "fullImage-five-buttons", type: .fullImage, content: withButtons(5)),
        GalleryPage(name: "inline-five-buttons", type: .inline, content: withButtons(5)),
        GalleryPage(name: "modal-one-button", type: .modal, content: withButtons(1)),
        GalleryPage(name: "modal-long-buttons", type: .modal, content: longButtons),
        GalleryPage(name: "bannerBottom-no-button", type: .bannerBottom, content: withButtons(0)),
        GalleryPage(name: "modal-no-button", type: .modal, content: withButtons(0)),
        GalleryPage(name: "full-no-button", type: .full, content: withButtons(0)),
    ]

    private static let images =
        [InAppType.modal, .full, .bannerTop, .fullImage, .inline].flatMap { type in
            [
                GalleryPage(name: "\(type.rawValue)-no-image", type: type, content: withImage(nil)),
                GalleryPage(name: "\(type.rawValue)-broken-image", type: type, content: withImage(broken)),
            ]
        } + [
            GalleryPage(name: "modal-tall-image", type: .modal, content: withImage(picture(300, 900))),
            GalleryPage(name: "full-title-first", type: .full, content: titleFirst),
            GalleryPage(name: "modal-title-first", type: .modal, content: titleFirst),
            GalleryPage(name: "inline-title-first", type: .inline, content: titleFirst),
            GalleryPage(name: "fullImage-image-only", type: .fullImage, content: imageOnly),
            GalleryPage(name: "fullImage-image-only-broken", type: .fullImage, content: imageOnlyBroken),
            GalleryPage(name: "fullImage-bare-buttons", type: .fullImage, content: bareButtons),
            GalleryPage(name: "modal-image-only", type: .modal, content: imageOnly),
            GalleryPage(name: "inline-image-only", type: .inline, content: imageOnly),
        ]

    private static let colors = [InAppType.modal, .bannerBottom, .fullImage].map {
        GalleryPage(name: "\($0.rawValue)-colors", type: $0, content: colored)
    }

    private static let marketers = [
        GalleryPage(name: "html", type: .html, content: InAppContent(html: page)),
        GalleryPage(
            name: "html-no-close", type: .html, content: InAppContent(html: "<title>News</title><p>No way out</p>")),
        GalleryPage(name: "inline-html", type: .inline, content: InAppContent(html: strip)),
        GalleryPage(
            name: "html-v3", type: .html, content: InAppContent(html: page),
            options: InAppPageOptions(bridge: .v3(campaignID: "7"), language: "en")
        ),
        GalleryPage(
            name: "modal-v3", type: .modal, content: sale,
            options: InAppPageOptions(bridge: .v3(campaignID: "7"), language: "en")
        ),
        GalleryPage(
            name: "modal-preview", type: .modal, content: sale,
            options: InAppPageOptions(bridge: .preview, language: "en")
        ),
        GalleryPage(
            name: "html-scripts", type: .html, content: InAppContent(html: scripted),
            options: InAppPageOptions(bridge: .belfry(nonce: "gallery"), language: "en", allowsScripts: true)
        ),
        GalleryPage(name: "html-hostile", type: .html, content: InAppContent(html: hostile)),
    ]
}
