// Sends an answer to the app at once. Without scripts, the person presses the button.

document.getElementById("answer").submit();
