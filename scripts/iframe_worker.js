// Browsers start no worker from a file on disk: there a hidden frame takes its place, for the search.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = (this.inner = frame.contentWindow);
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        this.onmessage?.(event);
      };
      inner.importScripts = async (...urls) => {
        for (const one of urls) await this.load(inner, one);
      };
      this.ready = this.load(inner, url);
    }
    load(inner, url) {
      return new Promise((resolve, reject) => {
        const script = inner.document.createElement("script");
        Object.assign(script, { src: String(url), onload: resolve, onerror: reject });
        inner.document.body.append(script);
      });
    }
    async postMessage(data) {
      await this.ready;
      this.inner.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.inner.frameElement.remove();
    }
  };
}
